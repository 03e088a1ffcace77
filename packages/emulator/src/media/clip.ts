/**
 * Clips: a card with a running clock and a progress line as an MP4 of H.264 video and, on request,
 * a quiet tone in AAC.
 */

import { toneTrack } from "./aac.ts";
import { type CardOptions, drawCard, drawLabel, drawProgress, footOf } from "./card.ts";
import { changedIn, keyFrame, nextFrame } from "./h264.ts";
import { macroblock, MacroblockWriter } from "./h264-macroblock.ts";
import { pictureParameterSet, sequenceParameterSet } from "./h264-parameters.ts";
import { avc1Box, avcSample, type Track, writeMp4 } from "./mp4.ts";

/** The options of `renderClip`. The width and height are even. */
interface ClipOptions extends CardOptions {
  /** Frames per second; may be a fraction, such as 29.97. */
  readonly fps: number;
  readonly seconds: number;
  /** Whether to add a quiet tone. */
  readonly audio: boolean;
}

/**
 * Returns an MP4 of exactly this size that shows the text over a running clock. A key frame comes
 * every ten seconds. The same options give the same bytes on every machine.
 *
 * @throws A `RangeError` if the width or height is odd, because H.264 stores colour per pair of
 * pixels
 */
export function renderClip(options: ClipOptions): Uint8Array<ArrayBuffer> {
  const { width, height } = options;
  if (width % 2 !== 0 || height % 2 !== 0)
    throw new RangeError(
      `renderClip: ${width} x ${height} is not valid. Use an even width and height.`,
    );
  const video = videoTrack(options);
  const tracks: [Track, ...Track[]] = [video];
  if (options.audio) tracks.push(toneTrack(video.duration / video.timescale));
  return writeMp4(tracks, options.description);
}

function videoTrack(options: ClipOptions): Track {
  const { width, height, fps, seconds } = options;
  const card = drawCard(options, 128, macroblock);
  const frames = Math.max(1, Math.round(fps * seconds));
  const keyInterval = Math.max(1, Math.floor(fps * secondsPerKey));
  const { top, bottom } = footOf(card);
  const rows = [top * card.width, bottom * card.width] as const;
  const bare = card.ink.slice(...rows);
  const macroblocks = new MacroblockWriter(card);
  const samples: Uint8Array[] = [];
  const keySamples: number[] = [];
  const total = clock(seconds);
  let label = "";
  for (let frame = 0; frame < frames; frame++) {
    const before = card.ink.slice(...rows);
    const now = `${clock(frame / fps)} / ${total}`;
    if (now !== label) {
      card.ink.set(bare, rows[0]);
      drawLabel(card, (label = now));
    }
    drawProgress(card, `${total} / ${total}`, frames === 1 ? 1 : frame / (frames - 1));
    const sinceKey = frame % keyInterval;
    const unit =
      sinceKey > 0
        ? nextFrame(card, macroblocks, changedIn(card, top, before), sinceKey)
        : keyFrame(card, macroblocks, keySamples.push(frame) % 2);
    samples.push(avcSample(unit));
  }
  const sps = sequenceParameterSet({ width, height, fps });
  const pps = pictureParameterSet();
  const sampleEntry = avc1Box({ width, height, sps, pps });
  // These units also fit fractional frame rates: at 29.97 frames per second, a frame lasts 1000 of
  // 29970 units.
  const timescale = Math.round(fps * 1000);
  const times = { timescale, sampleDuration: 1000, duration: frames * 1000 };
  return { handler: "vide", ...times, samples, keySamples, width, height, sampleEntry };
}

/**
 * Seconds from one key frame to the next: few, because they are large, but players seek from them.
 */
const secondsPerKey = 10;

/** Returns seconds as 0:07. */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
