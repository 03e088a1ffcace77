/**
 * A card as H.264 video (ITU-T H.264), Constrained Baseline. No search, no transform, no loss: every pixel is known in
 * advance.
 *
 * It is small because a card changes from left to right only where text begins and ends:
 * - The first macroblock of each row states its tone, as a difference to the row above.
 * - Every other one predicts each line from the pixel to its left. If nothing changes, that is all: one byte.
 * - In text, each dot is a 4x4 block whose only coefficient (DC) is the step from the dot to its left.
 * - Between key frames, only macroblocks whose dots changed are written; all others are skipped.
 * With at most one coefficient per block, CAVLC's tables shrink to their first rows.
 */

import { bandRows, type Card } from "./card.ts";
import { BitWriter, nalUnit } from "./h264-bits.ts";
import { fourDots, MacroblockWriter } from "./h264-macroblock.ts";
import { frameNumBits } from "./h264-parameters.ts";

/** Returns a card as a key frame. Two in a row must differ in `id` (idr_pic_id, 7.4.3). */
export function keyFrame(card: Card, id: number): Uint8Array {
  const bits = new BitWriter();
  sliceHeader(bits, { type: 7, frameNum: 0, idrPicId: id });
  const macroblocks = new MacroblockWriter(bits, card, 0);
  for (let address = 0; address < (card.columns * card.rows) / bandRows ** 2; address++) macroblocks.write(address);
  return nalUnit(3, 5, bits.end());
}

/**
 * A card as the frame after one that showed `before`: only what its foot changed is written. The key frame has
 * `frameNum` 0.
 */
export function nextFrame(card: Card, before: Uint8Array<ArrayBuffer>, frameNum: number): Uint8Array {
  const bits = new BitWriter();
  sliceHeader(bits, { type: 5, frameNum });
  const macroblocks = new MacroblockWriter(bits, card, 5);
  const across = card.columns / bandRows;
  const [lines, linesBefore] = [fourDots(card.ink), fourDots(before)];
  const changed = new Set<number>();
  for (let line = card.foot.top * across; line < (card.foot.top + card.foot.rows) * across; line++) {
    if (lines[line] !== linesBefore[line])
      changed.add(Math.floor(line / (across * bandRows)) * across + (line % across));
  }
  let next = 0;
  for (const address of [...changed].sort((a, b) => a - b)) {
    bits.ue(address - next); // mb_skip_run, 7.3.4
    macroblocks.write(address);
    next = address + 1;
  }
  const left = lines.length / bandRows - next;
  if (left > 0) bits.ue(left); // mb_skip_run
  return nalUnit(2, 1, bits.end());
}

/** slice_header, 7.3.3: one slice a picture, of type 7 (all I) or 5 (all P); a key frame has an idrPicId. */
function sliceHeader(bits: BitWriter, slice: { type: 5 | 7; frameNum: number; idrPicId?: number }): void {
  bits.ue(0); // first_mb_in_slice
  bits.ue(slice.type); // slice_type
  bits.ue(0); // pic_parameter_set_id
  bits.u(frameNumBits, slice.frameNum % 2 ** frameNumBits); // frame_num
  if (slice.idrPicId !== undefined) bits.ue(slice.idrPicId); // idr_pic_id
  if (slice.type === 5) bits.u(1, 0); // num_ref_idx_active_override_flag
  if (slice.type === 5) bits.u(1, 0); // ref_pic_list_modification_flag_l0
  // dec_ref_pic_marking, 7.3.3.3
  if (slice.idrPicId !== undefined) bits.u(2, 0); // no_output_of_prior_pics_flag, long_term_reference_flag
  else bits.u(1, 0); // adaptive_ref_pic_marking_mode_flag: the frame before is the reference
  bits.se(0); // slice_qp_delta
  bits.ue(1); // disable_deblocking_filter_idc
}
