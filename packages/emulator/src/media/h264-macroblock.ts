/** The macroblocks of a card's picture in H.264 (ITU-T H.264, 7.3.5). */

import { type Card, lumaOf, toneIndex } from "./card.ts";
import { BitWriter } from "./h264-bits.ts";
import { differencesOf, levelsOf } from "./h264-transform.ts";
import { mostInk } from "./plane.ts";

/** Pixels of a macroblock each way, and of one of its blocks. */
export const macroblock = 16;
const block = 4;

/** How much the luma of a decoded pixel may differ. */
const tolerance = 1;

/** Mark of a block: its macroblock is Intra_4x4. */
const isPredicted = 1;
/** Mark of a block: its samples or coefficients are written. */
const isWritten = 2;

/** Writes macroblocks of a card's frames, 7.3.5. The card's sides are multiples of 16. */
export class MacroblockWriter {
  readonly #card: Card;
  /** The luma of each amount of ink, by rows. */
  readonly #lumas: readonly (readonly number[])[];
  /** The luma of the latest frame as decoders have it. */
  readonly #decoded: Uint8ClampedArray;
  /** The marks of the blocks in the slice, row by row. */
  readonly #marks: Uint8Array;
  #bits = new BitWriter();
  #intraTypes = 0;

  constructor(card: Card) {
    const lumas = card.tones.map((tone) =>
      Array.from({ length: mostInk + 1 }, (_, ink) => lumaOf(tone, ink)),
    );
    this.#card = card;
    this.#lumas = Array.from(
      { length: card.height },
      (_, row) => lumas[toneIndex(card, row)] ?? [],
    );
    this.#decoded = new Uint8ClampedArray(card.ink.length);
    this.#marks = new Uint8Array(card.ink.length / block ** 2);
  }

  /** Begins a slice. Intra types begin in mb_type at 0 in I slices, and at 5 in P slices. */
  begin(bits: BitWriter, intraTypes: 0 | 5): void {
    this.#bits = bits;
    this.#intraTypes = intraTypes;
    this.#marks.fill(0);
  }

  /** Writes the macroblock at an address. */
  write(address: number): void {
    const across = this.#card.width / macroblock;
    const left = (address % across) * macroblock;
    const top = Math.floor(address / across) * macroblock;
    if (left > 0 && this.#repeatsLeft(left, top, macroblock)) this.#writeCopy(left, top);
    else if (left > 0 && top > 0) this.#writeBlocks(left, top);
    else this.#writeSamples(left, top);
  }

  /** Intra_16x16: horizontal prediction and nothing to add. */
  #writeCopy(left: number, top: number): void {
    // mb_type, table 7-11: I_16x16_1_0_0: horizontal prediction, no chroma, no luma AC
    this.#bits.ue(this.#intraTypes + 2);
    this.#bits.ue(1); // intra_chroma_pred_mode: horizontal
    this.#bits.se(0); // mb_qp_delta
    this.#writeCount(left, top, false);
  }

  /**
   * Intra_4x4: horizontal prediction, and what to add to blocks with edges of letters and shapes.
   */
  #writeBlocks(left: number, top: number): void {
    this.#bits.ue(this.#intraTypes); // mb_type, table 7-11: I_NxN
    // Horizontal is mode 1, which is expected (8.3.1.1) next to such blocks: of each block but the
    // first, one is in this macroblock.
    if (this.#isNear(isPredicted, left, top)) this.#bits.u(1, 1); // prev_intra4x4_pred_mode_flag
    else this.#bits.u(4, 0b0_001); // and rem_intra4x4_pred_mode
    this.#bits.u(15, 0x7fff);
    this.#bits.ue(1); // intra_chroma_pred_mode: horizontal
    this.#bits.ue(2); // coded_block_pattern, table 9-4: all luma, no chroma
    this.#bits.se(0); // mb_qp_delta
    // In the order of 6.4.3: four blocks of each quarter.
    for (let index = 0; index < 16; index++) {
      const x = (index & 1) + ((index >> 1) & 2);
      const y = ((index >> 1) & 1) + ((index >> 2) & 2);
      this.#writeBlock(left + x * block, top + y * block);
    }
  }

  #writeBlock(left: number, top: number): void {
    const isCopy = this.#repeatsLeft(left, top, block);
    this.#writeCount(left, top, !isCopy);
    this.#marks[this.#blockAt(left, top)] = isCopy ? isPredicted : isPredicted | isWritten;
    if (isCopy) return;
    const pixels = Array.from(
      { length: 16 },
      (_, at) => (top + (at >> 2)) * this.#card.width + left + (at & 3),
    );
    const before = pixels.map((pixel, at) => this.#decoded[pixel - (at & 3) - 1] ?? 0);
    const levels = levelsOf(pixels.map((pixel, at) => this.#lumaAt(pixel) - (before[at] ?? 0)));
    this.#writeLevels(levels.toReversed());
    const added = differencesOf(levels);
    for (const [at, pixel] of pixels.entries())
      this.#decoded[pixel] = (before[at] ?? 0) + (added[at] ?? 0);
  }

  /**
   * coeff_token, table 9-5, of none or 16 coefficients. It depends on how many the blocks to the
   * left and above have (9.2.1).
   */
  #writeCount(left: number, top: number, isFull: boolean): void {
    if (this.#isNear(isWritten, left, top)) this.#bits.u(6, isFull ? 0b1111_00 : 0b0000_11);
    else this.#bits.u(isFull ? 16 : 1, isFull ? 0b100 : 1);
  }

  /** The levels of 16 coefficients, the last one first, 9.2.2.1. */
  #writeLevels(levels: readonly number[]): void {
    let width = 1; // suffixLength
    for (const [index, level] of levels.entries()) {
      const code = 2 * Math.abs(level) - (level > 0 ? 2 : 1) - (index === 0 ? 2 : 0);
      const prefix = Math.min(15, code >> width);
      this.#bits.u(prefix + 1, 1);
      this.#bits.u(prefix < 15 ? width : 12, code - (prefix << width));
      if (Math.abs(level) > 3 << (width - 1) && width < 6) width++;
    }
  }

  /** I_PCM: all samples as they are. */
  #writeSamples(left: number, top: number): void {
    const samples = new Uint8Array(1.5 * macroblock ** 2);
    for (let y = 0; y < macroblock; y++) {
      const { cb, cr } = this.#card.tones[toneIndex(this.#card, top + y)] ?? { cb: 128, cr: 128 };
      const start = (top + y) * this.#card.width + left;
      for (let x = 0; x < macroblock; x++) samples[y * macroblock + x] = this.#lumaAt(start + x);
      this.#decoded.set(samples.subarray(y * macroblock, (y + 1) * macroblock), start);
      this.#marks.fill(
        isWritten,
        this.#blockAt(left, top + y),
        this.#blockAt(left + macroblock, top + y),
      );
      const half = macroblock ** 2 + (y >> 1) * 8;
      samples.fill(cb, half, half + 8).fill(cr, half + 64, half + 72);
    }
    this.#bits.ue(this.#intraTypes + 25); // mb_type, table 7-11: I_PCM
    this.#bits.bytes([...samples]); // after pcm_alignment_zero_bit
  }

  /**
   * Returns whether a square repeats the pixels to its left well enough. If so, decoders let it.
   */
  #repeatsLeft(left: number, top: number, size: number): boolean {
    const { width, ink } = this.#card;
    for (let row = top; row < top + size; row++) {
      const start = row * width + left;
      const lumas = this.#lumas[row] ?? [];
      const before = this.#decoded[start - 1] ?? 0;
      for (let at = start; at < start + size; at++)
        if (Math.abs((lumas[ink[at] ?? 0] ?? 0) - before) > tolerance) return false;
    }
    for (let start = top * width + left; start < (top + size) * width; start += width)
      this.#decoded.fill(this.#decoded[start - 1] ?? 0, start, start + size);
    return true;
  }

  #lumaAt(pixel: number): number {
    return this.#lumas[Math.floor(pixel / this.#card.width)]?.[this.#card.ink[pixel] ?? 0] ?? 0;
  }

  #isNear(mark: number, left: number, top: number): boolean {
    const at = this.#blockAt(left, top);
    return (
      (((this.#marks[at - 1] ?? 0) | (this.#marks[at - this.#card.width / block] ?? 0)) & mark) > 0
    );
  }

  #blockAt(left: number, top: number): number {
    return (Math.floor(top / block) * this.#card.width + left) / block;
  }
}
