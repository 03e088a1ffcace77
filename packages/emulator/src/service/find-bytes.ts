/** Returns the next position of certain bytes, or -1. */
export type Find = (bytes: Uint8Array, from: number) => number;

/** Up to this size, a simple comparison is faster than creating a table. */
const few = 4_096;

/** Returns a function that finds these bytes. */
export function createFinder(wanted: Uint8Array): Find {
  let findInMany: Find | undefined;
  return (bytes, from) =>
    bytes.length <= few ? findInFew(wanted, bytes, from) : (findInMany ??= createHorspool(wanted))(bytes, from);
}

function findInFew(wanted: Uint8Array, bytes: Uint8Array, from: number): number {
  const [first = 0] = wanted;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    let matching = 1;
    while (matching < wanted.length && bytes[at + matching] === wanted[matching]) matching++;
    if (matching === wanted.length) return at;
  }
  return -1;
}

/** Searches with Horspool's algorithm, because a body may be large and malicious. */
function createHorspool(wanted: Uint8Array): Find {
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
