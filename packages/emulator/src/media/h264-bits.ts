import { join } from "./bytes.ts";

/** Initial size of the buffer, which doubles when it is full. */
const firstSize = 256;

/** Writes bit fields as ITU-T H.264 clause 7.2 names them: u(n), ue(v), se(v). */
export class BitWriter {
  #bytes = new Uint8Array(firstSize);
  #length = 0;
  /** Fewer than 8 bits of an incomplete byte. */
  #pending = 0;
  #pendingWidth = 0;

  /** u(n): writes `width` bits (at most 16) of a number, most significant first. */
  u(width: number, value: number): void {
    this.#pending = (this.#pending << width) | value;
    this.#pendingWidth += width;
    while (this.#pendingWidth >= 8) {
      if (this.#length === this.#bytes.length) this.#grow();
      this.#pendingWidth -= 8;
      this.#bytes[this.#length++] = this.#pending >>> this.#pendingWidth;
      this.#pending &= (1 << this.#pendingWidth) - 1;
    }
  }

  /** ue(v), 9.1, Exp-Golomb: as many zeros as the binary form of value + 1 has digits after the first, then that form. */
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
  bytes(bytes: Uint8Array): void {
    if (this.#pendingWidth > 0) this.u(8 - this.#pendingWidth, 0);
    while (this.#length + bytes.length > this.#bytes.length) this.#grow();
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Returns everything written, closed by rbsp_trailing_bits (7.3.2.11): a one and zeros up to the next byte. */
  end(): Uint8Array {
    this.u(1, 1);
    this.bytes(new Uint8Array());
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(): void {
    const grown = new Uint8Array(2 * this.#bytes.length);
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/**
 * nal_unit, 7.3.1, without emulation_prevention_three_byte, which separates three bytes that look like a start code. They would need
 * 22 zero bits in a row: the longest row here, a mb_skip_run and the mb_type after it, has 18, and samples are never 0.
 */
export function nalUnit(refIdc: number, type: number, payload: Uint8Array): Uint8Array {
  return join([(refIdc << 5) | type], payload); // forbidden_zero_bit, nal_ref_idc, nal_unit_type
}
