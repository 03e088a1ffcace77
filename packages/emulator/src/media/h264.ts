import { type BitWriter, createBitWriter } from "./bits.ts";
import { join } from "./bytes.ts";
import { bandRows, type Card, inkLuma, type Tone, toneIndex } from "./card.ts";
/**
 * A card as H.264 video (ITU-T H.264), Constrained Baseline. No search, no transform, no loss: every pixel is known beforehand.
 *
 * What makes it small: a card changes from left to right only where text begins and ends. So
 * - the first macroblock of each row states its tone, as a difference to the row above,
 * - every other one predicts each line from the pixel at its left, and where nothing changes that is all of it: one byte,
 * - where text is, each dot is a 4x4 block whose only coefficient (DC) is the step from the dot at its left,
 * - between key frames all macroblocks are skipped but those whose dots changed.
 * With one coefficient a block at most, CAVLC's tables shrink to their first rows.
 */

/** Size and speed of a video. */
export interface VideoFormat {
  /** Pixels, even. */
  width: number;
  /** Pixels, even. */
  height: number;
  /** Frames a second. */
  fps: number;
}

/** Pixels of a macroblock each way; a dot is a quarter of it. */
const macroblock = 16;

/** log2_max_frame_num_minus4 + 4: frame_num counts from the last key frame, modulo 2^8. */
const frameNumBits = 8;

/**
 * The quantiser of ink. By 8.5.12 a lone DC of level c adds (c * 14 * 16 << 51/6 - 4) / 64 = 56 c to its block: of all
 * quantisers the largest step, so that levels stay within 2.
 */
const inkQp = 51;
const inkLevel = inkLuma / 56;

/** The quantiser of tones. By 8.5.10 a lone DC of level c adds (c * 16 * 16 >> 6 - 28/6) / 64 = c to its macroblock: exact. */
const toneQp = 28;

/** With it chroma has quantiser 22, where by 8.5.11 its level c adds c, too. */
const chromaQpOffset = -6;

/** Table A-1: level_idc, macroblocks a second, macroblocks a frame. */
const levels = [
  [30, 40_500, 1_620],
  [31, 108_000, 3_600],
  [40, 245_760, 8_192],
  [42, 522_240, 8_704],
  [51, 983_040, 36_864],
  [52, 2_073_600, 36_864],
  [62, 16_711_680, 139_264],
] as const;

/** The lowest level whose bounds a video keeps. */
function levelOf({ width, height, fps }: VideoFormat): number {
  const frame = Math.ceil(width / macroblock) * Math.ceil(height / macroblock);
  return levels.find(([, perSecond, perFrame]) => frame <= perFrame && frame * fps <= perSecond)?.[0] ?? 62;
}

/** The sequence parameter set, 7.3.2.1.1, as a NAL unit. */
export function sequenceParameterSet(format: VideoFormat): Uint8Array {
  const { u, ue, end } = createBitWriter();
  const columns = Math.ceil(format.width / macroblock);
  const rows = Math.ceil(format.height / macroblock);
  u(8, 66); // profile_idc: Baseline, A.2.1
  u(8, 0b1100_0000); // constraint_set0_flag, and constraint_set1_flag: Main can decode it, too, so it is Constrained Baseline
  u(8, levelOf(format)); // level_idc
  ue(0); // seq_parameter_set_id
  ue(frameNumBits - 4); // log2_max_frame_num_minus4
  ue(2); // pic_order_cnt_type: shown in the order of decoding
  ue(1); // max_num_ref_frames
  u(1, 0); // gaps_in_frame_num_value_allowed_flag
  ue(columns - 1); // pic_width_in_mbs_minus1
  ue(rows - 1); // pic_height_in_map_units_minus1
  u(1, 1); // frame_mbs_only_flag: no interlacing
  u(1, 1); // direct_8x8_inference_flag (of B slices; there are none)
  u(1, 1); // frame_cropping_flag, offsets in chroma samples, that is 2 pixels
  ue(0); // frame_crop_left_offset
  ue((columns * macroblock - format.width) / 2); // frame_crop_right_offset
  ue(0); // frame_crop_top_offset
  ue((rows * macroblock - format.height) / 2); // frame_crop_bottom_offset
  u(1, 1); // vui_parameters_present_flag, E.1.1
  u(1, 0); // aspect_ratio_info_present_flag
  u(1, 0); // overscan_info_present_flag
  u(1, 1); // video_signal_type_present_flag
  u(3, 5); // video_format: unspecified
  u(1, 0); // video_full_range_flag: luma 16 to 235
  u(1, 1); // colour_description_present_flag
  u(8, 1); // colour_primaries: BT.709
  u(8, 1); // transfer_characteristics: BT.709
  u(8, 1); // matrix_coefficients: BT.709
  u(1, 0); // chroma_loc_info_present_flag
  u(1, 0); // timing_info_present_flag: MP4 times the samples
  u(1, 0); // nal_hrd_parameters_present_flag
  u(1, 0); // vcl_hrd_parameters_present_flag
  u(1, 0); // pic_struct_present_flag
  u(1, 0); // bitstream_restriction_flag
  return nalUnit(3, 7, end());
}

/** The picture parameter set, 7.3.2.2, as a NAL unit. */
export function pictureParameterSet(): Uint8Array {
  const { u, ue, se, end } = createBitWriter();
  ue(0); // pic_parameter_set_id
  ue(0); // seq_parameter_set_id
  u(1, 0); // entropy_coding_mode_flag: CAVLC
  u(1, 0); // bottom_field_pic_order_in_frame_present_flag
  ue(0); // num_slice_groups_minus1
  ue(0); // num_ref_idx_l0_default_active_minus1
  ue(0); // num_ref_idx_l1_default_active_minus1
  u(1, 0); // weighted_pred_flag
  u(2, 0); // weighted_bipred_idc
  se(inkQp - 26); // pic_init_qp_minus26
  se(0); // pic_init_qs_minus26
  se(chromaQpOffset); // chroma_qp_index_offset
  u(1, 1); // deblocking_filter_control_present_flag: dots stay square
  u(1, 0); // constrained_intra_pred_flag
  u(1, 0); // redundant_pic_cnt_present_flag
  return nalUnit(3, 8, end());
}

/** A card as a key frame. Two that follow one another must differ in `id` (idr_pic_id, 7.4.3). */
export function keyFrame(card: Card, id: number): Uint8Array {
  const bits = createBitWriter();
  sliceHeader(bits, { type: 7, frameNum: 0, idrPicId: id });
  const writeMacroblock = createMacroblockWriter(bits, card, 0);
  for (let address = 0; address < (card.columns * card.rows) / bandRows ** 2; address++) writeMacroblock(address);
  return nalUnit(3, 5, bits.end());
}

/** A card as the frame after one that showed `before`: only what its foot changed is written. The key frame has `frameNum` 0. */
export function nextFrame(card: Card, before: Uint8Array<ArrayBuffer>, frameNum: number): Uint8Array {
  const bits = createBitWriter();
  sliceHeader(bits, { type: 5, frameNum });
  const writeMacroblock = createMacroblockWriter(bits, card, 5);
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
    writeMacroblock(address);
    next = address + 1;
  }
  const left = lines.length / bandRows - next;
  if (left > 0) bits.ue(left); // mb_skip_run
  return nalUnit(2, 1, bits.end());
}

/** Dots four at a time, each a line of a macroblock, as numbers to compare: equal on machines of either byte order. */
function fourDots(ink: Uint8Array<ArrayBuffer>): Uint32Array {
  return new Uint32Array(ink.buffer, ink.byteOffset, ink.length / 4);
}

/** slice_header, 7.3.3: one slice a picture, of type 7 (all I) or 5 (all P); a key frame has an idrPicId. */
function sliceHeader({ u, ue, se }: BitWriter, slice: { type: 5 | 7; frameNum: number; idrPicId?: number }): void {
  ue(0); // first_mb_in_slice
  ue(slice.type); // slice_type
  ue(0); // pic_parameter_set_id
  u(frameNumBits, slice.frameNum % 2 ** frameNumBits); // frame_num
  if (slice.idrPicId !== undefined) ue(slice.idrPicId); // idr_pic_id
  if (slice.type === 5) u(1, 0); // num_ref_idx_active_override_flag
  if (slice.type === 5) u(1, 0); // ref_pic_list_modification_flag_l0
  // dec_ref_pic_marking, 7.3.3.3
  if (slice.idrPicId !== undefined) u(2, 0); // no_output_of_prior_pics_flag, long_term_reference_flag
  else u(1, 0); // adaptive_ref_pic_marking_mode_flag: the frame before is the reference
  se(0); // slice_qp_delta
  ue(1); // disable_deblocking_filter_idc
}

/** Writes macroblocks of one slice, 7.3.5. `intraTypes` is where intra types begin in mb_type: 0 in I slices, 5 in P slices. */
function createMacroblockWriter(bits: BitWriter, card: Card, intraTypes: 0 | 5): (address: number) => void {
  const { u, ue, se } = bits;
  const across = card.columns / bandRows;
  const lines = fourDots(card.ink);
  const isText = new Uint8Array(across * (card.rows / bandRows)); // by address, in this slice
  let qp = inkQp;
  const mbQpDelta = (wanted: number): void => {
    se(wanted - qp);
    qp = wanted;
  };

  /** The first of a row, Intra_16x16: predicted from above, or as 128 where nothing is above, plus a difference of its tone. */
  const writeTone = (row: number): void => {
    const tone = toneAt(card, row);
    const above = row === 0 ? { y: 128, cb: 128, cr: 128 } : toneAt(card, row - 1);
    ue(intraTypes + 7); // mb_type, table 7-11: I_16x16_2_1_0: DC prediction, chroma DC, no luma AC
    ue(0); // intra_chroma_pred_mode: DC
    mbQpDelta(toneQp);
    writeLevel(bits, tone.y - above.y, lumaTokens); // Intra16x16DCLevel
    writeLevel(bits, tone.cb - above.cb, chromaTokens); // ChromaDCLevel of Cb
    writeLevel(bits, tone.cr - above.cr, chromaTokens); // ChromaDCLevel of Cr
  };

  /** As at the left, Intra_16x16: horizontal prediction and nothing to add. */
  const writeCopy = (): void => {
    ue(intraTypes + 2); // mb_type: I_16x16_1_0_0: horizontal prediction, no chroma, no luma AC
    ue(1); // intra_chroma_pred_mode: horizontal
    mbQpDelta(inkQp);
    writeLevel(bits, 0, lumaTokens); // Intra16x16DCLevel
  };

  /** Text, Intra_4x4: horizontal prediction, and one DC for each dot. */
  const writeText = (address: number, corner: number): void => {
    ue(intraTypes); // mb_type: I_NxN
    // 8.3.1.1: the mode expected is the lower of those of the blocks at the left and above, where Intra_16x16 counts as 2
    // (DC). So 1, horizontal, is expected everywhere but in the first block, if neither neighbour is text.
    if (isText[address - 1] || isText[address - across]) u(1, 1); // prev_intra4x4_pred_mode_flag
    else u(4, 0b0001); // prev_intra4x4_pred_mode_flag 0, rem_intra4x4_pred_mode 1
    u(15, 0x7fff); // prev_intra4x4_pred_mode_flag of the other 15
    ue(1); // intra_chroma_pred_mode: horizontal
    ue(2); // coded_block_pattern 15, table 9-4: all of luma, no chroma
    mbQpDelta(inkQp);
    for (let block = 0; block < 16; block++) {
      // 6.4.3: blocks are numbered in quarters of quarters: bits 0 and 2 are across, 1 and 3 down.
      const column = (block & 1) | ((block >> 1) & 2);
      const row = ((block >> 1) & 1) | ((block >> 2) & 2);
      const dot = corner + row * card.columns + column;
      writeLevel(bits, ((card.ink[dot] ?? 0) - (card.ink[dot - 1] ?? 0)) * inkLevel, lumaTokens); // LumaLevel4x4
    }
    isText[address] = 1;
  };

  return (address) => {
    const column = address % across;
    const row = Math.floor(address / across);
    const corner = (row * card.columns + column) * bandRows;
    if (column === 0) return writeTone(row);
    for (let dot = corner; dot < corner + bandRows * card.columns; dot += card.columns) {
      // Four dots like the one at their left: their bytes are all 0 or all 1.
      if (lines[dot / 4] !== (card.ink[dot - 1] ?? 0) * 0x01010101) return writeText(address, corner);
    }
    return writeCopy();
  };
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
 * residual_block_cavlc, 7.3.5.3.3, of a block that has at most its first coefficient. nC, the mean count of coefficients of
 * the blocks at the left and above (9.2.1), then never passes 1: one column of the table is enough.
 */
function writeLevel({ u }: BitWriter, level: number, tokens: Tokens): void {
  const size = Math.abs(level);
  const token = size === 0 ? tokens.none : size === 1 ? tokens.one : tokens.other;
  u(token.width, token.value); // coeff_token
  if (size === 0) return;
  if (size === 1) u(1, level < 0 ? 1 : 0); // trailing_ones_sign_flag
  else {
    // 9.2.2.1: 2 is 0, -2 is 1, 3 is 2 ...; level_prefix is that many zeros and a one, or 14 or 15 and a suffix.
    const code = 2 * (size - 2) + (level < 0 ? 1 : 0);
    u(Math.min(code < 30 ? 14 : 15, code), 0);
    u(1, 1);
    if (code >= 30) u(12, code - 30); // level_suffix
    else if (code >= 14) u(4, code - 14); // level_suffix
  }
  u(1, 1); // total_zeros, tables 9-7 and 9-9: none before the only coefficient
}

/**
 * nal_unit, 7.3.1. Where three bytes could be taken for a start code, an emulation_prevention_three_byte would part them. Here
 * none ever is: that takes 22 zero bits in a row, and the longest row, a mb_skip_run and the mb_type after it, has 18.
 */
function nalUnit(refIdc: number, type: number, payload: Uint8Array): Uint8Array {
  return join([(refIdc << 5) | type], payload); // forbidden_zero_bit, nal_ref_idc, nal_unit_type
}
