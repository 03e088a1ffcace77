/** The macroblocks of a card's picture in H.264 (ITU-T H.264, 7.3.5). */

import { type Card, lumaOf, toneIndex } from "./card.ts";
import type { BitWriter } from "./h264-bits.ts";

/** Pixels of a macroblock each way. */
export const macroblock = 16;

/** Writes macroblocks of one slice, 7.3.5. The card's sides are multiples of 16. */
export class MacroblockWriter {
  readonly #bits: BitWriter;
  readonly #card: Card;
  readonly #intraTypes: 0 | 5;
  /** Macroblocks in a row. */
  readonly #across: number;
  readonly #words: Uint32Array;
  /** Whether a macroblock of this slice has its samples written out, by address. */
  readonly #isWritten: Uint8Array;

  /** @param intraTypes where intra types begin in mb_type: 0 in I slices, 5 in P slices */
  constructor(bits: BitWriter, card: Card, intraTypes: 0 | 5) {
    this.#bits = bits;
    this.#card = card;
    this.#intraTypes = intraTypes;
    this.#across = card.width / macroblock;
    // Four pixels at a time, to compare: equal on machines of either byte order.
    this.#words = new Uint32Array(card.ink.buffer);
    this.#isWritten = new Uint8Array((card.width * card.height) / macroblock ** 2);
  }

  /** Writes the macroblock at an address. */
  write(address: number): void {
    const { width } = this.#card;
    const left = (address % this.#across) * macroblock;
    const top = Math.floor(address / this.#across) * macroblock;
    if (left > 0 && this.#repeatsLeft(top * width + left)) this.#writeCopy(address);
    else this.#writeSamples(address, left, top);
  }

  /** Returns whether each line repeats the pixel to its left. */
  #repeatsLeft(corner: number): boolean {
    const { width, ink } = this.#card;
    for (let start = corner; start < corner + macroblock * width; start += width) {
      const word = (ink[start - 1] ?? 0) * 0x01010101;
      for (let at = start / 4; at < start / 4 + 4; at++) if (this.#words[at] !== word) return false;
    }
    return true;
  }

  /** Intra_16x16: horizontal prediction and nothing to add. */
  #writeCopy(address: number): void {
    this.#bits.ue(this.#intraTypes + 2); // mb_type, table 7-11: I_16x16_1_0_0: horizontal prediction, no chroma, no luma AC
    this.#bits.ue(1); // intra_chroma_pred_mode: horizontal
    this.#bits.se(0); // mb_qp_delta
    // coeff_token, table 9-5, of no coefficient. It depends on the mean number of those to the left and above (9.2.1), where
    // written samples count as 16, and other macroblocks have none.
    if (this.#isWritten[address - 1] || this.#isWritten[address - this.#across]) this.#bits.u(6, 0b000011);
    else this.#bits.u(1, 1);
  }

  /** I_PCM: all samples as they are. */
  #writeSamples(address: number, left: number, top: number): void {
    const { width, ink, tones } = this.#card;
    this.#bits.ue(this.#intraTypes + 25); // mb_type, table 7-11: I_PCM
    const samples = new Uint8Array(1.5 * macroblock ** 2);
    const chroma = macroblock / 2;
    for (let y = 0; y < macroblock; y++) {
      const tone = tones[toneIndex(this.#card, top + y)] ?? { y: 128, cb: 128, cr: 128 };
      const start = (top + y) * width + left;
      for (let x = 0; x < macroblock; x++) samples[y * macroblock + x] = lumaOf(tone, ink[start + x] ?? 0);
      const half = macroblock ** 2 + (y >> 1) * chroma;
      samples.fill(tone.cb, half, half + chroma).fill(tone.cr, half + chroma ** 2, half + chroma ** 2 + chroma);
    }
    this.#bits.bytes(samples); // after pcm_alignment_zero_bit
    this.#isWritten[address] = 1;
  }
}
