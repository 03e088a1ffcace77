/** The macroblocks of a card's picture in H.264 (ITU-T H.264, 7.3.5). */

import { bandRows, type Card, toneIndex } from "./card.ts";
import type { BitWriter } from "./h264-bits.ts";
import { inkLevel, inkQp, toneQp } from "./h264-parameters.ts";
import type { Tone } from "./tones.ts";

/** Writes macroblocks of one slice, 7.3.5. */
export class MacroblockWriter {
  readonly #bits: BitWriter;
  readonly #card: Card;
  readonly #intraTypes: 0 | 5;
  /** Macroblocks in a row. */
  readonly #across: number;
  readonly #lines: Uint32Array;
  /** Whether a macroblock of this slice shows text, by address. */
  readonly #isText: Uint8Array;
  #qp = inkQp;

  /** @param intraTypes where intra types begin in mb_type: 0 in I slices, 5 in P slices */
  constructor(bits: BitWriter, card: Card, intraTypes: 0 | 5) {
    this.#bits = bits;
    this.#card = card;
    this.#intraTypes = intraTypes;
    this.#across = card.columns / bandRows;
    this.#lines = fourDots(card.ink);
    this.#isText = new Uint8Array(this.#across * (card.rows / bandRows));
  }

  /** Writes the macroblock at an address. */
  write(address: number): void {
    const { columns, ink } = this.#card;
    const column = address % this.#across;
    const row = Math.floor(address / this.#across);
    const corner = (row * columns + column) * bandRows;
    if (column === 0) return this.#writeTone(row);
    for (let dot = corner; dot < corner + bandRows * columns; dot += columns) {
      // Four dots like the one to their left: their bytes are all 0 or all 1.
      if (this.#lines[dot / 4] !== (ink[dot - 1] ?? 0) * 0x01010101) return this.#writeText(address, corner);
    }
    this.#writeCopy();
  }

  /**
   * The first of a row, Intra_16x16: predicted from above, or as 128 if nothing is above, plus a difference of its
   * tone.
   */
  #writeTone(row: number): void {
    const tone = toneAt(this.#card, row);
    const above = row === 0 ? { y: 128, cb: 128, cr: 128 } : toneAt(this.#card, row - 1);
    this.#bits.ue(this.#intraTypes + 7); // mb_type, table 7-11: I_16x16_2_1_0: DC prediction, chroma DC, no luma AC
    this.#bits.ue(0); // intra_chroma_pred_mode: DC
    this.#writeQpDelta(toneQp);
    writeLevel(this.#bits, tone.y - above.y, lumaTokens); // Intra16x16DCLevel
    writeLevel(this.#bits, tone.cb - above.cb, chromaTokens); // ChromaDCLevel of Cb
    writeLevel(this.#bits, tone.cr - above.cr, chromaTokens); // ChromaDCLevel of Cr
  }

  /** The same as to the left, Intra_16x16: horizontal prediction and nothing to add. */
  #writeCopy(): void {
    this.#bits.ue(this.#intraTypes + 2); // mb_type: I_16x16_1_0_0: horizontal prediction, no chroma, no luma AC
    this.#bits.ue(1); // intra_chroma_pred_mode: horizontal
    this.#writeQpDelta(inkQp);
    writeLevel(this.#bits, 0, lumaTokens); // Intra16x16DCLevel
  }

  /** Text, Intra_4x4: horizontal prediction, and one DC for each dot. */
  #writeText(address: number, corner: number): void {
    const { columns, ink } = this.#card;
    this.#bits.ue(this.#intraTypes); // mb_type: I_NxN
    // 8.3.1.1: the mode expected is the lower of those of the blocks to the left and above, where Intra_16x16 counts as
    // 2
    // (DC). So 1, horizontal, is expected everywhere but in the first block, if neither neighbour is text.
    if (this.#isText[address - 1] || this.#isText[address - this.#across]) this.#bits.u(1, 1); // prev_intra4x4_pred_mode_flag
    else this.#bits.u(4, 0b0001); // prev_intra4x4_pred_mode_flag 0, rem_intra4x4_pred_mode 1
    this.#bits.u(15, 0x7fff); // prev_intra4x4_pred_mode_flag of the other 15
    this.#bits.ue(1); // intra_chroma_pred_mode: horizontal
    this.#bits.ue(2); // coded_block_pattern 15, table 9-4: all of luma, no chroma
    this.#writeQpDelta(inkQp);
    for (let block = 0; block < 16; block++) {
      // 6.4.3: blocks are numbered in quarters of quarters: bits 0 and 2 are across, 1 and 3 down.
      const column = (block & 1) | ((block >> 1) & 2);
      const row = ((block >> 1) & 1) | ((block >> 2) & 2);
      const dot = corner + row * columns + column;
      writeLevel(this.#bits, ((ink[dot] ?? 0) - (ink[dot - 1] ?? 0)) * inkLevel, lumaTokens); // LumaLevel4x4
    }
    this.#isText[address] = 1;
  }

  #writeQpDelta(qp: number): void {
    this.#bits.se(qp - this.#qp); // mb_qp_delta
    this.#qp = qp;
  }
}

/**
 * Returns the dots four at a time, each a line of a macroblock, as numbers to compare: equal on machines of either byte
 * order.
 */
export function fourDots(ink: Uint8Array<ArrayBuffer>): Uint32Array {
  return new Uint32Array(ink.buffer, ink.byteOffset, ink.length / 4);
}

function toneAt(card: Card, row: number): Tone {
  return card.tones[toneIndex(card, row * bandRows)] ?? { y: 128, cb: 128, cr: 128 };
}

/** coeff_token, table 9-5, of no coefficient, of one that is 1 or -1, and of one that is another level. */
interface Tokens {
  none: { width: number; value: number };
  one: { width: number; value: number };
  other: { width: number; value: number };
}
/** 0 <= nC < 2 */
const lumaTokens: Tokens = {
  none: { width: 1, value: 0b1 },
  one: { width: 2, value: 0b01 },
  other: { width: 6, value: 0b000101 },
};
/** nC == -1 */
const chromaTokens: Tokens = {
  none: { width: 2, value: 0b01 },
  one: { width: 1, value: 0b1 },
  other: { width: 6, value: 0b000111 },
};

/**
 * residual_block_cavlc, 7.3.5.3.3, of a block that has at most its first coefficient. So nC, the mean count of
 * coefficients of the blocks to the left and above (9.2.1), never exceeds 1: one column of the table is enough.
 */
function writeLevel(bits: BitWriter, level: number, tokens: Tokens): void {
  const size = Math.abs(level);
  const token = size === 0 ? tokens.none : size === 1 ? tokens.one : tokens.other;
  bits.u(token.width, token.value); // coeff_token
  if (size === 0) return;
  if (size === 1) bits.u(1, level < 0 ? 1 : 0); // trailing_ones_sign_flag
  else {
    // 9.2.2.1: 2 is 0, -2 is 1, 3 is 2 ...; level_prefix is that many zeros and a one, or 14 or 15 and a suffix.
    const code = 2 * (size - 2) + (level < 0 ? 1 : 0);
    bits.u(Math.min(code < 30 ? 14 : 15, code), 0);
    bits.u(1, 1);
    if (code >= 30) bits.u(12, code - 30); // level_suffix
    else if (code >= 14) bits.u(4, code - 14); // level_suffix
  }
  bits.u(1, 1); // total_zeros, tables 9-7 and 9-9: none before the only coefficient
}
