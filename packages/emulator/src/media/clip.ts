/** Clips: a card with a running clock and a moving ball as an MP4 of H.264 video and, on request, a quiet tone in AAC. */

import { toneTrack } from "./aac.ts";
import { type CardText, drawCard, drawFoot } from "./card.ts";
import { keyFrame, nextFrame } from "./h264.ts";
import { pictureParameterSet, sequenceParameterSet } from "./h264-parameters.ts";
import { avc1Box, avcSample, type Track, writeMp4 } from "./mp4.ts";

/** The options of `renderClip`. */
interface ClipOptions {
  /** Pixels, even. */
  width: number;
  /** Pixels, even. */
  height: number;
  /** Frames per second; may be a fraction, such as 29.97. */
  fps: number;
  /** The length of the clip. */
  seconds: number;
  /** Whether to add a quiet tone. */
  audio: boolean;
  /** The seed of the colours. */
  seed: string;
  /** The text in every frame. */
  text: CardText;
  /** The text in the file, which programs can read. */
  description?: string | undefined;
}

/**
 * Returns an MP4 of exactly this size that shows the text over a running clock. Each second begins with a key frame.
 * The same options give the same bytes on every machine.
 *
 * @throws A `RangeError` if the width or height is odd, because H.264 stores colour per pair of pixels
 */
export function renderClip(options: ClipOptions): Uint8Array<ArrayBuffer> {
  const { width, height } = options;
  if (width % 2 !== 0 || height % 2 !== 0)
    throw new RangeError(`renderClip: ${width} x ${height} is not valid. Use an even width and height.`);
  const video = videoTrack(options);
  const tracks: [Track, ...Track[]] = [video];
  if (options.audio) tracks.push(toneTrack(video.duration / video.timescale));
  return writeMp4(tracks, options.description);
}

function videoTrack({ width, height, fps, seconds, seed, text }: ClipOptions): Track {
  const [columns, rows] = [Math.ceil(width / dot), Math.ceil(height / dot)];
  const card = drawCard({ columns, rows, seed, text });
  const frames = Math.max(1, Math.round(fps * seconds));
  const keyInterval = Math.max(1, Math.floor(fps));
  const samples: Uint8Array[] = [];
  const keySamples: number[] = [];
  const before = new Uint8Array(card.ink.length);
  for (let frame = 0; frame < frames; frame++) {
    before.set(card.ink);
    const way = (frame / fps / secondsPerWay) % 2;
    const share = frames === 1 ? 1 : frame / (frames - 1);
    drawFoot(card, `${clock(frame / fps)} / ${clock(seconds)}`, share, Math.min(way, 2 - way));
    const sinceKey = frame % keyInterval;
    if (sinceKey === 0) keySamples.push(frame);
    samples.push(avcSample(sinceKey === 0 ? keyFrame(card, keySamples.length % 2) : nextFrame(card, before, sinceKey)));
  }
  const sps = sequenceParameterSet({ width, height, fps });
  const sampleEntry = avc1Box({ width, height, sps, pps: pictureParameterSet() });
  // These units also fit fractional frame rates: at 29.97 frames per second, a frame lasts 1000 of 29970 units.
  const timescale = Math.round(fps * 1000);
  return {
    handler: "vide",
    timescale,
    sampleDuration: 1000,
    duration: frames * 1000,
    samples,
    keySamples,
    width,
    height,
    sampleEntry,
  };
}

/** Seconds in which the ball moves from one side to the other. */
const secondsPerWay = 2;

/** A dot is one 4x4 block of H.264. */
const dot = 4;

/** Returns seconds as 0:07. */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
