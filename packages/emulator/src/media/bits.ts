/** Writes bit fields as ITU-T H.264 clause 7.2 names them: u(n), ue(v), se(v). */
export interface BitWriter {
  /** u(n): `width` bits (at most 16) of a number, most significant first. */
  u(width: number, value: number): void;
  /** ue(v), 9.1: Exp-Golomb: as many zeros as the binary form of value + 1 has digits after the first, then that form. */
  ue(value: number): void;
  /** se(v), 9.1.1: 0, 1, -1, 2, -2 ... as ue(v) of 0, 1, 2, 3, 4 ... */
  se(value: number): void;
  /** Everything written, closed by rbsp_trailing_bits (7.3.2.11): a one and zeros up to the next byte. */
  end(): Uint8Array;
}

export function createBitWriter(): BitWriter {
  let bytes = new Uint8Array(256);
  let length = 0;
  let pending = 0; // fewer than 8 bits wait for the rest of their byte
  let pendingWidth = 0;

  const u = (width: number, value: number): void => {
    pending = (pending << width) | value;
    pendingWidth += width;
    while (pendingWidth >= 8) {
      if (length === bytes.length) {
        const grown = new Uint8Array(2 * length);
        grown.set(bytes);
        bytes = grown;
      }
      pendingWidth -= 8;
      bytes[length++] = pending >>> pendingWidth;
      pending &= (1 << pendingWidth) - 1;
    }
  };
  const ue = (value: number): void => {
    const digits = 32 - Math.clz32(value + 1);
    u(digits - 1, 0);
    u(digits, value + 1);
  };
  const se = (value: number): void => ue(value > 0 ? 2 * value - 1 : -2 * value);
  const end = (): Uint8Array => {
    u(1, 1);
    if (pendingWidth > 0) u(8 - pendingWidth, 0);
    return bytes.subarray(0, length);
  };
  return { u, ue, se, end };
}
