/** Writes bit fields as ITU-T H.264 clause 7.2 names them: u(n), ue(v), se(v). */
export class BitWriter {
  readonly #bytes: number[] = [];
  /** Fewer than 8 bits of an incomplete byte. */
  #pending = 0;
  #pendingWidth = 0;

  /** u(n): writes `width` bits (at most 16) of a number, most significant first. */
  u(width: number, value: number): void {
    this.#pending = (this.#pending << width) | value;
    this.#pendingWidth += width;
    while (this.#pendingWidth >= 8) {
      this.#pendingWidth -= 8;
      this.#bytes.push(this.#pending >>> this.#pendingWidth);
      this.#pending &= (1 << this.#pendingWidth) - 1;
    }
  }

  /**
   * ue(v), 9.1, Exp-Golomb: as many zeros as the binary form of value + 1 has digits after the
   * first, then that form.
   */
  ue(value: number): void {
    const digits = 32 - Math.clz32(value + 1);
    this.u(digits - 1, 0);
    this.u(digits, value + 1);
  }

  /** se(v), 9.1.1: writes 0, 1, -1, 2, -2 ... as ue(v) of 0, 1, 2, 3, 4 ... */
  se(value: number): void {
    this.ue(value > 0 ? 2 * value - 1 : -2 * value);
  }

  /** Writes zeros up to the next byte, and then these bytes. */
  bytes(bytes: readonly number[]): void {
    if (this.#pendingWidth > 0) this.u(8 - this.#pendingWidth, 0);
    for (const byte of bytes) this.#bytes.push(byte);
  }

  /**
   * Returns everything written, closed by rbsp_trailing_bits (7.3.2.11): a one and zeros up to the
   * next byte.
   */
  end(): readonly number[] {
    this.u(1, 1);
    this.bytes([]);
    return this.#bytes;
  }
}

/**
 * nal_unit, 7.3.1. A 3 (emulation_prevention_three_byte) separates bytes that would look like a
 * start code.
 */
export function nalUnit(refIdc: number, type: number, payload: readonly number[]): Uint8Array {
  const bytes = [(refIdc << 5) | type]; // forbidden_zero_bit, nal_ref_idc, nal_unit_type
  let zeros = 0;
  for (const byte of payload) {
    if (zeros === 2 && byte <= 3) bytes.push(3);
    zeros = byte > 0 ? 0 : (zeros % 2) + 1;
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}
