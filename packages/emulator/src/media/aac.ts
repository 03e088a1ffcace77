/** Silence as AAC-LC (ISO/IEC 14496-3). */

import { mp4aBox, type Track } from "./mp4.ts";

const rate = 48_000;

/** Samples of sound that one AAC frame holds. */
const frameLength = 1024;

/**
 * AudioSpecificConfig, 1.6.2.1: object type 2 (AAC-LC) in 5 bits, frequency index 3 (48 kHz) in 4, 1 channel in 4, 3
 * zero flags.
 */
const config = [0b00010_001, 0b1_0001_000];

/**
 * raw_data_block, 4.4.2.1. 29 zeros are a single_channel_element (id 0, tag, gain; long window, max_sfb 0: no band is
 * coded; no pulse, no noise shaping, no gain control), the three ones ID_END.
 */
const silentFrame = Uint8Array.of(0, 0, 0, 0b111);

/** Returns a mono track of silence, exactly this long. */
export function silentTrack(seconds: number): Track {
  const duration = Math.round(seconds * rate);
  const samples = Array.from({ length: Math.ceil(duration / frameLength) }, () => silentFrame);
  const sampleEntry = mp4aBox({ rate, config });
  return {
    handler: "soun",
    timescale: rate,
    sampleDuration: frameLength,
    duration,
    samples,
    width: 0,
    height: 0,
    sampleEntry,
  };
}
