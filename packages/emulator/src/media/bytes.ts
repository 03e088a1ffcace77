/** Big-endian bytes, as PNG, MP4 and H.264 write them. */

/** A piece of a file: bytes, or a four-character code. */
export type Piece = Uint8Array | readonly number[] | string;

/** Returns all pieces in one array. `joinBytes` of the SDK joins no text and no numbers. */
export function join(...pieces: readonly Piece[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let position = 0;
  for (const piece of pieces) {
    joined.set(
      typeof piece === "string" ? Array.from(piece, (character) => character.charCodeAt(0)) : piece,
      position,
    );
    position += piece.length;
  }
  return joined;
}

/** Returns the bytes of numbers of 16 bits each. */
export function u16(...values: readonly number[]): number[] {
  return values.flatMap((value) => [value >>> 8, value & 0xff]);
}

/** Returns the bytes of numbers of 32 bits each. */
export function u32(...values: readonly number[]): number[] {
  return values.flatMap((value) => [
    value >>> 24,
    (value >>> 16) & 0xff,
    (value >>> 8) & 0xff,
    value & 0xff,
  ]);
}
