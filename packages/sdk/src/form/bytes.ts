/** Joins pieces of bytes. A single piece is returned as it is, because most bodies are one. */
export function joinBytes<T extends ArrayBufferLike>(
  pieces: readonly Uint8Array<T>[],
): Uint8Array<T | ArrayBuffer> {
  const [first, second] = pieces;
  if (first && !second) return first;
  const joined = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let end = 0;
  for (const piece of pieces) {
    joined.set(piece, end);
    end += piece.length;
  }
  return joined;
}
