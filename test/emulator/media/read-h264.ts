import { trackOf } from "./read-mp4.ts";

/**
 * A decoder of the H.264 that a clip is made of, by the standard and not by the writer: it keeps the samples of one pixel per
 * 4x4 block, throws at any syntax that a clip does not use, and checks that a slice ends where its data ends.
 */
const scale = [10, 11, 13, 14, 16, 18]; // 8.5.9: normAdjust of position 0

export interface Picture {
  columns: number;
  rows: number;
  luma: Uint8Array;
}

function createBitReader(nalUnit: Uint8Array): {
  u(width: number): number;
  ue(): number;
  se(): number;
  more(): boolean;
} {
  const payload: number[] = [];
  for (let index = 1; index < nalUnit.length; index++) {
    const escaped = nalUnit[index] === 3 && payload.at(-1) === 0 && payload.at(-2) === 0 && nalUnit[index - 1] === 0;
    if (!escaped) payload.push(nalUnit[index]!);
  }
  const length = payload.length * 8 - (Math.log2(payload.at(-1)! & -payload.at(-1)!) + 1);
  let position = 0;
  const u = (width: number): number => {
    let value = 0;
    for (let bit = 0; bit < width; bit++, position++)
      value = value * 2 + ((payload[position >> 3]! >> (7 - (position & 7))) & 1);
    if (position > length) throw new Error("Read past the end.");
    return value;
  };
  const ue = (): number => {
    let zeros = 0;
    while (u(1) === 0) zeros++;
    return 2 ** zeros - 1 + u(zeros);
  };
  const se = (): number => {
    const code = ue();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  };
  return { u, ue, se, more: () => position < length };
}

/** Asked size of a sequence parameter set, after cropping. */
export function readSize(sps: Uint8Array): { width: number; height: number } {
  const { u, ue } = createBitReader(sps);
  u(24);
  for (let skipped = 0; skipped < 4; skipped++) ue();
  u(1);
  const [columns, rows] = [ue() + 1, ue() + 1];
  u(3);
  const [left, right, top, bottom] = [ue(), ue(), ue(), ue()];
  return { width: columns * 16 - 2 * (left + right), height: rows * 16 - 2 * (top + bottom) };
}

/** Decodes pictures one after another: blocks of 4x4 pixels, `columns` by `rows`. */
export function createDecoder(columns: number, rows: number): (nalUnit: Uint8Array) => Picture {
  const luma = new Uint8Array(columns * rows);
  const across = columns / 4;
  const count = across * (rows / 4);

  return (nalUnit) => {
    const isKey = (nalUnit[0]! & 31) === 5;
    const bits = createBitReader(nalUnit);
    const { u, ue, se } = bits;
    const expect = (value: number, wanted: number, name: string): void => {
      if (value !== wanted) throw new Error(`${name} is ${value}, not ${wanted}.`);
    };
    expect(ue(), 0, "first_mb_in_slice");
    expect(ue(), isKey ? 7 : 5, "slice_type");
    ue();
    u(8);
    if (isKey) ue();
    else u(2);
    u(isKey ? 2 : 1);
    let qp = 51 + se();
    expect(ue(), 1, "disable_deblocking_filter_idc");

    const level = (isChroma: boolean): number => {
      let zeros = 0;
      while (u(1) === 0) zeros++;
      // Codes of table 9-5 by their count of leading zeros: luma 1, 01, 000101; chroma 1 and 01 the other way round, 000111.
      if (zeros === (isChroma ? 1 : 0)) return 0;
      let value = 0;
      if (zeros < 2) value = u(1) === 1 ? -1 : 1;
      else {
        expect(zeros * 4 + u(2), isChroma ? 15 : 13, "coeff_token");
        let prefix = 0;
        while (u(1) === 0) prefix++;
        const code = prefix < 14 ? prefix : prefix === 14 ? 14 + u(4) : 30 + u(12);
        value = (Math.floor(code / 2) + 2) * (code % 2 === 1 ? -1 : 1);
      }
      expect(u(1), 1, "total_zeros of none");
      return value;
    };

    const isText = new Set<number>();
    for (let address = 0; address < count; address++) {
      if (!isKey) {
        address += ue(); // mb_skip_run
        if (address >= count) break;
      }
      const corner = Math.floor(address / across) * 4 * columns + (address % across) * 4;
      const type = ue() - (isKey ? 0 : 5);
      if (type === 0) {
        const expected = isText.has(address - 1) || isText.has(address - across);
        if (u(1) === 0) expect(u(3) * 2 + (expected ? 1 : 0), 2, "rem_intra4x4_pred_mode");
        else expect(expected ? 1 : 0, 1, "expected mode");
        expect(u(15), 0x7fff, "prev_intra4x4_pred_mode_flags");
        expect(ue(), 1, "intra_chroma_pred_mode");
        expect(ue(), 2, "coded_block_pattern");
        qp += se();
        for (let block = 0; block < 16; block++) {
          const column = (block & 1) + (block & 4) / 2;
          const row = ((block & 2) + (block & 8) / 2) / 2;
          const dot = corner + row * columns + column;
          const step = level(false) * scale[qp % 6]! * 16 * 2 ** (Math.floor(qp / 6) - 4);
          luma[dot] = luma[dot - 1]! + ((step + 32) >> 6);
        }
        isText.add(address);
        continue;
      }
      // Intra_16x16: 1 + prediction mode + 4 * chroma
      expect(ue(), type === 2 ? 1 : 0, "intra_chroma_pred_mode");
      qp += se();
      const step = level(false) * scale[qp % 6]! * 16;
      const dc =
        qp >= 36
          ? step * 2 ** (Math.floor(qp / 6) - 6)
          : (step + 2 ** (5 - Math.floor(qp / 6))) >> (6 - Math.floor(qp / 6));
      if (type === 7) {
        level(true);
        level(true);
      } else expect(type, 2, "mb_type");
      for (let row = 0; row < 4; row++) {
        const left = corner + row * columns;
        for (let dot = left; dot < left + 4; dot++) {
          // Only the first of a row has mode 2 (DC): the mean of the row above, which is flat there, or 128.
          const predicted = type === 2 ? luma[left - 1]! : address < across ? 128 : luma[corner - columns]!;
          luma[dot] = predicted + ((dc + 32) >> 6);
        }
      }
    }
    if (bits.more()) throw new Error("The slice has more than its macroblocks.");
    return { columns, rows, luma: luma.slice() };
  };
}

/** All pictures of a clip, by the test's own decoder. */
export function decode(file: Uint8Array, { width, height }: { width: number; height: number }): Picture[] {
  const decodeNext = createDecoder(Math.ceil(width / 16) * 4, Math.ceil(height / 16) * 4);
  return trackOf(file, "vide")!.samples.map((sample) => decodeNext(sample.subarray(4)));
}
