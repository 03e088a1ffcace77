/** Clips: a card with a running clock as an MP4 of H.264 video and, if asked, silent AAC sound. */

import { silentTrack } from "./aac.ts";
import { type CardText, drawCard, drawFoot } from "./card.ts";
import { keyFrame, nextFrame } from "./h264.ts";
import { pictureParameterSet, sequenceParameterSet } from "./h264-parameters.ts";
import { avc1Box, avcSample, type Track, writeMp4 } from "./mp4.ts";

/** The options of `renderClip`. */
export interface ClipOptions {
  /** Pixels, even. */
  width: number;
  /** Pixels, even. */
  height: number;
  /** Frames per second; may be a fraction, such as 29.97. */
  fps: number;
  /** The length of the clip. */
  seconds: number;
  /** Whether to add a silent track. */
  audio: boolean;
  /** The seed of the colours. */
  seed: string;
  /** The text in every frame. */
  text: CardText;
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
  return writeMp4(options.audio ? [video, silentTrack(video.duration / video.timescale)] : [video]);
}

function videoTrack({ width, height, fps, seconds, seed, text }: ClipOptions): Track {
  const card = drawCard({ columns: Math.ceil(width / dot), rows: Math.ceil(height / dot), seed, text });
  const frames = Math.max(1, Math.round(fps * seconds));
  const keyInterval = Math.max(1, Math.floor(fps));
  const samples: Uint8Array[] = [];
  const keySamples: number[] = [];
  const before = new Uint8Array(card.ink.length);
  for (let frame = 0; frame < frames; frame++) {
    before.set(card.ink);
    drawFoot(card, `${clock(frame / fps)} / ${clock(seconds)}`, frames === 1 ? 1 : frame / (frames - 1));
    const sinceKey = frame % keyInterval;
    if (sinceKey === 0) keySamples.push(frame);
    samples.push(avcSample(sinceKey === 0 ? keyFrame(card, keySamples.length % 2) : nextFrame(card, before, sinceKey)));
  }
  const sps = sequenceParameterSet({ width, height, fps });
  const sampleEntry = avc1Box({ width, height, sps, pps: pictureParameterSet() });
  // Units that fit a fractional frame rate too: at 29.97 frames per second a frame lasts 1000 of 29970.
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

/** A dot is one 4x4 block of H.264. */
const dot = 4;

/** Returns seconds as 0:07. */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
