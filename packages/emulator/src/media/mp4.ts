/**
 * An MP4 file whose index comes first, so that it plays while it loads. 12:8.2.1 is clause 8.2.1 of
 * ISO/IEC 14496-12. The samples are described as in 14496-14 and 14496-15.
 */

import { join, type Piece, u16, u32 } from "./bytes.ts";

/** Samples of one kind, played one after another from the start. */
export interface Track {
  /** handler_type, 12:8.4.3. */
  handler: "vide" | "soun";
  /** Units per second of `sampleDuration` and `duration`. */
  timescale: number;
  /** The duration of a sample. The last one takes the rest of `duration`. */
  sampleDuration: number;
  duration: number;
  samples: readonly Uint8Array[];
  /** Indexes of the samples that need no earlier ones; all samples, if absent. */
  keySamples?: readonly number[];
  /** Pixels; 0 for sound. */
  width: number;
  height: number;
  /** The box that describes the samples to a decoder: avc1Box or mp4aBox. */
  sampleEntry: Uint8Array;
}

/** Returns a file that plays its tracks together. The timescale of the first one is the file's. */
export function writeMp4(
  tracks: readonly [Track, ...Track[]],
  description?: string,
): Uint8Array<ArrayBuffer> {
  const { timescale, duration } = tracks[0];
  const fileType = box("ftyp", "isom", u32(0x200), "isom", "iso2", "avc1", "mp41"); // 12:4.3

  // Sound comes first in the media data: it is small, and a player needs it from the first picture
  // on.
  const media = tracks.toReversed().flatMap((track) => track.samples);
  const sizeOf = (track: Track): number =>
    track.samples.reduce((size, sample) => size + sample.length, 0);

  // 12:8.2.1. Where the samples start depends on the length of this box, but its length does not
  // depend on that number.
  const movie = (mediaStart: number): Uint8Array => {
    const starts = tracks.map((_, index) =>
      tracks.slice(index + 1).reduce((start, track) => start + sizeOf(track), mediaStart),
    );
    // 12:8.2.2. Two times, timescale, duration, rate 1 as 16.16; volume 1 as 8.8; matrix;
    // next_track_ID.
    const times = u32(0, 0, timescale, duration, 0x10000);
    const next = u32(0, 0, 0, 0, 0, 0, tracks.length + 1);
    return box(
      "moov",
      fullBox("mvhd", 0, times, u16(0x100, 0, 0, 0, 0, 0), matrix, next),
      ...tracks.map((track, index) =>
        trackBox(track, { id: index + 1, duration, start: starts[index] ?? 0 }),
      ),
      ...(description ? [descriptionBox(description)] : []),
    );
  };
  const mediaStart = fileType.length + movie(0).length + 8;
  return join(fileType, movie(mediaStart), box("mdat", ...media)); // 12:8.1.1
}

/**
 * trak, 12:8.3.1, with all samples in one chunk. `duration` is the file's, in the file's timescale.
 */
function trackBox(
  track: Track,
  { id, duration, start }: { id: number; duration: number; start: number },
): Uint8Array {
  const count = track.samples.length;
  const isSound = track.handler === "soun";
  const times = [
    [Math.floor(track.duration / track.sampleDuration), track.sampleDuration],
    [1, track.duration % track.sampleDuration],
  ].filter(([samples, length]) => samples !== 0 && length !== 0);
  const keys = track.keySamples?.map((index) => index + 1);
  const size = u32(track.width * 0x10000, track.height * 0x10000);
  return box(
    "trak",
    // 12:8.3.2. Flags: enabled, in movie. Two times, track_ID, duration; layer, group, volume;
    // matrix; size as 16.16.
    fullBox(
      "tkhd",
      3,
      u32(0, 0, id, 0, duration, 0, 0),
      u16(0, 0, isSound ? 0x100 : 0, 0),
      matrix,
      size,
    ),
    box(
      "mdia", // 12:8.4.1
      // 12:8.4.2; language "und" as three times five bits
      fullBox("mdhd", 0, u32(0, 0, track.timescale, track.duration), u16(0x55c4, 0)),
      fullBox("hdlr", 0, u32(0), track.handler, u32(0, 0, 0), [0]), // 12:8.4.3
      box(
        "minf", // 12:8.4.4
        // 12:12.2.2, 12:12.1.2
        isSound ? fullBox("smhd", 0, u16(0, 0)) : fullBox("vmhd", 1, u16(0, 0, 0, 0)),
        // 12:8.7.1 and 2: the samples are in this file
        box("dinf", fullBox("dref", 0, u32(1), fullBox("url ", 1))),
        box(
          "stbl", // 12:8.5.1
          fullBox("stsd", 0, u32(1), track.sampleEntry), // 12:8.5.2
          fullBox("stts", 0, u32(times.length, ...times.flat())), // 12:8.6.1.2
          ...(keys ? [fullBox("stss", 0, u32(keys.length, ...keys))] : []), // 12:8.6.2
          // 12:8.7.4: from chunk 1 on, all samples in one chunk
          fullBox("stsc", 0, u32(1, 1, count, 1)),
          // 12:8.7.3
          fullBox("stsz", 0, u32(0, count, ...track.samples.map((sample) => sample.length))),
          fullBox("stco", 0, u32(1, start)), // 12:8.7.5
        ),
      ),
    ),
  );
}

/** udta, 12:8.10.1, with a description as players and ffprobe read it: type 1 is UTF-8. */
function descriptionBox(text: string): Uint8Array {
  const data = box("data", u32(1, 0), new TextEncoder().encode(text));
  const handler = fullBox("hdlr", 0, u32(0), "mdir", "appl", u32(0, 0), [0]);
  return box("udta", fullBox("meta", 0, handler, box("ilst", box("desc", data))));
}

/** A sample of video: its NAL unit after its length (14496-15, 5.3.4.2). */
export function avcSample(nalUnit: Uint8Array): Uint8Array {
  return join(u32(nalUnit.length), nalUnit);
}

/**
 * avc1, the sample entry of H.264 (14496-15, 5.4.2; 12:12.1.3), from its parameter sets as NAL
 * units.
 */
export function avc1Box(video: {
  width: number;
  height: number;
  sps: Uint8Array;
  pps: Uint8Array;
}): Uint8Array {
  const { width, height, sps, pps } = video;
  // AVCDecoderConfigurationRecord, 5.3.3.1: version, profile and level, lengths of 4 bytes (3,
  // under six ones), one SPS, one PPS.
  const record = join(
    [1],
    sps.subarray(1, 4),
    [0xff, 0xe1],
    u16(sps.length),
    sps,
    [1],
    u16(pps.length),
    pps,
  );
  return box(
    "avc1",
    u16(0, 0, 0, 1), // SampleEntry: reserved, data_reference_index
    u32(0, 0, 0, 0),
    u16(width, height),
    u32(0x480000, 0x480000, 0), // 72 dpi
    u16(1), // one frame a sample
    new Uint8Array(32),
    u16(24, 0xffff), // compressorname, depth, pre_defined
    box("avcC", record),
  );
}

/**
 * mp4a, the sample entry of MPEG-4 audio (14496-14, 5.6; 12:12.2.3), mono, from its
 * AudioSpecificConfig of two bytes.
 */
export function mp4aBox(audio: { rate: number; config: readonly number[] }): Uint8Array {
  // 14496-1, 7.2.6: descriptors are a tag, a length, a content. ES_Descriptor: ES_ID, flags.
  // DecoderConfigDescriptor: MPEG-4 audio, AudioStream, buffer and rates unknown. In it
  // DecoderSpecificInfo, and behind it SLConfigDescriptor: as MP4 files have it.
  const decoder = [4, 17, 0x40, 0x15, 0, 0, 0, ...u32(0, 0), 5, 2, ...audio.config];
  const descriptors = [3, 25, 0, 0, 0, ...decoder, 6, 1, 2];
  // SampleEntry: data_reference_index; channelcount, samplesize
  const sound = u16(0, 0, 0, 1, 0, 0, 0, 0, 1, 16, 0, 0);
  // samplerate as 16.16
  return box("mp4a", sound, u32(audio.rate * 0x10000), fullBox("esds", 0, descriptors));
}

/** The identity matrix as nine fixed-point numbers: no rotation, no scaling. */
const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

/** Box, 12:4.2: size, type, content. */
function box(type: string, ...content: readonly Piece[]): Uint8Array {
  return join(u32(content.reduce((size, piece) => size + piece.length, 8)), type, ...content);
}

/** FullBox, 12:4.2: a box with a version, always 0 here, and flags. */
function fullBox(type: string, flags: number, ...content: readonly Piece[]): Uint8Array {
  return box(type, u32(flags), ...content);
}
