/** A quiet tone as AAC-LC (ISO/IEC 14496-3). */

import { mp4aBox, type Track } from "./mp4.ts";

const rate = 48_000;

/** Samples of sound that one AAC frame holds. */
const frameLength = 1024;

/**
 * AudioSpecificConfig, 1.6.2.1: object type 2 (AAC-LC) in 5 bits, frequency index 3 (48 kHz) in 4,
 * 1 channel in 4, 3 zero flags.
 */
const config = [0b00010_001, 0b1_0001_000];

/**
 * The loudness: global_gain, where 4 more are 6 dB. With it the tone has a level of about -30 dB.
 */
const gain = 180;

/**
 * raw_data_block, 4.4.2.1, whose only coefficient, the 18th, is 1 or -1: a tone of 434 Hz. Its
 * phase moves on by a quarter from one frame to the next, so the sign changes every other time.
 */
function toneFrame(isNegative: boolean): Uint8Array {
  const bits = [
    "000_0000", // single_channel_element, tag
    gain.toString(2).padStart(8, "0"),
    "0_00_0_000101_0", // ics_info: long sine window, max_sfb 5, no prediction
    "0000_00100", // section_data: four bands of codebook 0, which are empty
    "0001_00001", // one band of codebook 1: coefficients 16 to 19
    "0", // scale_factor_data: its scale is the global gain
    "000", // no pulse, no noise shaping, no gain control
    isNegative ? "10101" : "10110", // spectral_data, table 4.A.2: 0, 0, -1 or 1, 0
    "111", // ID_END
  ].join("");
  return Uint8Array.from(bits.replaceAll("_", "").match(/.{8}/g) ?? [], (byte) =>
    Number.parseInt(byte, 2),
  );
}

const up = toneFrame(false);
const down = toneFrame(true);

/** Returns a mono track with a tone, exactly this long. */
export function toneTrack(seconds: number): Track {
  const duration = Math.round(seconds * rate);
  const samples = Array.from({ length: Math.ceil(duration / frameLength) }, (_, frame) =>
    frame & 2 ? down : up,
  );
  const sampleEntry = mp4aBox({ rate, config });
  const times = { timescale: rate, sampleDuration: frameLength, duration };
  return { handler: "soun", ...times, samples, width: 0, height: 0, sampleEntry };
}
