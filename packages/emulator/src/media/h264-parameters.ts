/** The parameter sets of H.264 (ITU-T H.264), which a decoder needs before the first picture. */

import { BitWriter, nalUnit } from "./h264-bits.ts";
import { macroblock } from "./h264-macroblock.ts";
import { quantiser } from "./h264-transform.ts";

/** Size and speed of a video: an even number of pixels each way, and frames a second. */
interface VideoFormat {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
}

/** log2_max_frame_num_minus4 + 4: frame_num counts from the last key frame, modulo 2^8. */
export const frameNumBits = 8;

/** Table A-1: level_idc, macroblocks a second, macroblocks a frame. */
const levels = [
  [31, 108_000, 3_600],
  [40, 245_760, 8_192],
  [51, 983_040, 36_864],
  [52, 2_073_600, 36_864],
  [62, 16_711_680, 139_264],
] as const;

/** Returns the lowest level whose limits a video respects. */
function levelOf({ width, height, fps }: VideoFormat): number {
  const frame = Math.ceil(width / macroblock) * Math.ceil(height / macroblock);
  return (
    levels.find(([, perSecond, perFrame]) => frame <= perFrame && frame * fps <= perSecond)?.[0] ??
    62
  );
}

/** The sequence parameter set, 7.3.2.1.1, as a NAL unit. */
export function sequenceParameterSet(format: VideoFormat): Uint8Array {
  const bits = new BitWriter();
  const columns = Math.ceil(format.width / macroblock);
  const rows = Math.ceil(format.height / macroblock);
  bits.u(8, 66); // profile_idc: Baseline, A.2.1
  bits.u(8, 0b1100_0000); // constraint_set0_flag, and constraint_set1_flag: Constrained Baseline
  bits.u(8, levelOf(format)); // level_idc
  bits.ue(0); // seq_parameter_set_id
  bits.ue(frameNumBits - 4); // log2_max_frame_num_minus4
  bits.ue(2); // pic_order_cnt_type: shown in the order of decoding
  bits.ue(1); // max_num_ref_frames
  bits.u(1, 0); // gaps_in_frame_num_value_allowed_flag
  bits.ue(columns - 1); // pic_width_in_mbs_minus1
  bits.ue(rows - 1); // pic_height_in_map_units_minus1
  // frame_mbs_only_flag: no interlacing; direct_8x8_inference_flag; frame_cropping_flag, offsets by
  // 2 pixels
  bits.u(3, 0b111);
  bits.ue(0); // frame_crop_left_offset
  bits.ue((columns * macroblock - format.width) / 2); // frame_crop_right_offset
  bits.ue(0); // frame_crop_top_offset
  bits.ue((rows * macroblock - format.height) / 2); // frame_crop_bottom_offset
  bits.u(3, 0b100); // E.1.1: vui_parameters_present_flag, no aspect ratio, no overscan
  // video_signal_type_present_flag, unspecified format, luma 16 to 235,
  // colour_description_present_flag
  bits.u(6, 0b1_101_0_1);
  // colour_primaries, transfer_characteristics, matrix_coefficients: BT.709
  for (let of = 0; of < 3; of++) bits.u(8, 1);
  // no place of chroma, no times (MP4 has them), no buffers (two flags), no pic_struct, no
  // restrictions
  bits.u(6, 0);
  return nalUnit(3, 7, bits.end());
}

/** The picture parameter set, 7.3.2.2, as a NAL unit. */
export function pictureParameterSet(): Uint8Array {
  const bits = new BitWriter();
  bits.ue(0); // pic_parameter_set_id
  bits.ue(0); // seq_parameter_set_id
  bits.u(2, 0); // entropy_coding_mode_flag: CAVLC; bottom_field_pic_order_in_frame_present_flag
  bits.ue(0); // num_slice_groups_minus1
  bits.ue(0); // num_ref_idx_l0_default_active_minus1
  bits.ue(0); // num_ref_idx_l1_default_active_minus1
  bits.u(3, 0); // weighted_pred_flag, weighted_bipred_idc
  bits.se(quantiser - 26); // pic_init_qp_minus26
  bits.se(0); // pic_init_qs_minus26
  bits.se(0); // chroma_qp_index_offset
  // deblocking_filter_control_present_flag: edges stay sharp; no constrained_intra_pred, no
  // redundant_pic_cnt
  bits.u(3, 0b100);
  return nalUnit(3, 8, bits.end());
}
