/** Returns where certain bytes are next, or -1. */
export type Find = (bytes: Uint8Array, from: number) => number;

/** Returns a function that finds these bytes by Horspool's algorithm: a body may be large, and hostile. */
export function createFinder(wanted: Uint8Array): Find {
  const last = wanted.length - 1;
  const shifts = new Uint16Array(256).fill(wanted.length);
  wanted.subarray(0, last).forEach((byte, index) => (shifts[byte] = last - index));
  return (bytes, from) => {
    for (let at = from; at + last < bytes.length; at += shifts[bytes[at + last] ?? 0] ?? 1) {
      let matching = 0;
      while (matching <= last && bytes[at + matching] === wanted[matching]) matching++;
      if (matching > last) return at;
    }
    return -1;
  };
}
