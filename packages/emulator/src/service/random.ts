/** A seeded generator of numbers from 0 to below 1. Its state can be saved and restored. */
export interface Random {
  (): number;
  state: number;
}

/**
 * Creates a generator with 32 bits of state (mulberry32), which returns the same numbers on every
 * engine.
 */
export function createRandom(seed: number): Random {
  const random = (): number => {
    random.state = (random.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(random.state ^ (random.state >>> 15), 1 | random.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  random.state = seed | 0;
  return random;
}
