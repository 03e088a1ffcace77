/**
 * A card as H.264 video (ITU-T H.264), Constrained Baseline. No search, and no loss that can be
 * seen.
 *
 * It is small because most of a card repeats the pixel to its left, at every line:
 * - Such macroblocks are predicted from their left neighbours, and nothing is added: one byte.
 * - Those with edges of letters and shapes are predicted too, and the difference is added where
 *   there are edges.
 * - Those at the left edge and at the top are written out, sample by sample.
 * - Between key frames, only macroblocks that changed are written; all others are skipped.
 */

import type { Card } from "./card.ts";
import { BitWriter, nalUnit } from "./h264-bits.ts";
import { macroblock, type MacroblockWriter } from "./h264-macroblock.ts";
import { frameNumBits } from "./h264-parameters.ts";

/** Returns a card as a key frame. Two in a row must differ in `id` (idr_pic_id, 7.4.3). */
export function keyFrame(
  { width, height }: Card,
  macroblocks: MacroblockWriter,
  id: number,
): Uint8Array {
  const bits = new BitWriter();
  sliceHeader(bits, { type: 7, frameNum: 0, idrPicId: id });
  macroblocks.begin(bits, 0);
  for (let address = 0; address < (width * height) / macroblock ** 2; address++)
    macroblocks.write(address);
  return nalUnit(3, 5, bits.end());
}

/**
 * Returns a card as the frame after one that differed from it in some macroblocks. The key frame
 * has `frameNum` 0.
 */
export function nextFrame(
  { width, height }: Card,
  macroblocks: MacroblockWriter,
  changed: readonly number[],
  frameNum: number,
): Uint8Array {
  const bits = new BitWriter();
  sliceHeader(bits, { type: 5, frameNum });
  macroblocks.begin(bits, 5);
  let next = 0;
  for (const address of changed) {
    bits.ue(address - next); // mb_skip_run, 7.3.4
    macroblocks.write(address);
    next = address + 1;
  }
  const left = (width * height) / macroblock ** 2 - next;
  if (left > 0) bits.ue(left); // mb_skip_run
  return nalUnit(2, 1, bits.end());
}

/**
 * Returns the macroblocks in which a card differs from an earlier state of some of its rows of
 * pixels.
 */
export function changedIn({ width, ink }: Card, top: number, before: Uint8Array): number[] {
  const changed = new Set<number>();
  for (let at = 0; at < before.length; at++) {
    if (before[at] === ink[top * width + at]) continue;
    const row = top + Math.floor(at / width);
    changed.add(
      Math.floor(row / macroblock) * (width / macroblock) + Math.floor((at % width) / macroblock),
    );
  }
  return [...changed].sort((one, other) => one - other);
}

/**
 * slice_header, 7.3.3: one slice a picture, of type 7 (all I) or 5 (all P); a key frame has an
 * idrPicId.
 */
function sliceHeader(
  bits: BitWriter,
  slice: { type: 5 | 7; frameNum: number; idrPicId?: number },
): void {
  bits.ue(0); // first_mb_in_slice
  bits.ue(slice.type); // slice_type
  bits.ue(0); // pic_parameter_set_id
  bits.u(frameNumBits, slice.frameNum % 2 ** frameNumBits); // frame_num
  if (slice.idrPicId !== undefined) bits.ue(slice.idrPicId); // idr_pic_id
  if (slice.type === 5) bits.u(1, 0); // num_ref_idx_active_override_flag
  if (slice.type === 5) bits.u(1, 0); // ref_pic_list_modification_flag_l0
  // dec_ref_pic_marking, 7.3.3.3
  // no_output_of_prior_pics_flag, long_term_reference_flag
  if (slice.idrPicId !== undefined) bits.u(2, 0);
  else bits.u(1, 0); // adaptive_ref_pic_marking_mode_flag: the frame before is the reference
  bits.se(0); // slice_qp_delta
  bits.ue(1); // disable_deblocking_filter_idc
}
