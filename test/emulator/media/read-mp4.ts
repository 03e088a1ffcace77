export interface Box {
  type: string;
  content: Buffer;
  /** Where its content begins in the file. */
  start: number;
  boxes: Box[];
}

const containers = new Set(["moov", "trak", "mdia", "minf", "dinf", "stbl"]);

/** The boxes of a file or a container; throws unless their sizes add up to the last byte. */
export function readBoxes(bytes: Uint8Array, start = 0): Box[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const boxes: Box[] = [];
  for (let position = 0; position < file.length;) {
    const size = file.readUInt32BE(position);
    const type = file.toString("latin1", position + 4, position + 8);
    if (size < 8 || position + size > file.length)
      throw new Error(`${type} has ${size} bytes of ${file.length - position}.`);
    const content = file.subarray(position + 8, position + size);
    boxes.push({
      type,
      content,
      start: start + position + 8,
      boxes: containers.has(type) ? readBoxes(content, start + position + 8) : [],
    });
    position += size;
  }
  return boxes;
}

/** The box at a path of types. */
export function find(boxes: readonly Box[], ...path: readonly string[]): Box {
  const [type, ...rest] = path;
  const box = boxes.find((candidate) => candidate.type === type);
  if (box === undefined) throw new Error(`No ${type}.`);
  return rest.length === 0 ? box : find(box.boxes, ...rest);
}

export interface ReadTrack {
  handler: string;
  /** Seconds, by the header and by the sum of all samples. */
  duration: number;
  sampleSeconds: number;
  samples: Buffer[];
  /** Where the first sample begins and the last one ends in the file. */
  from: number;
  to: number;
  /** From 1 on. */
  keySamples: number[] | undefined;
  sampleEntry: Buffer;
}

/** The tracks of a file by its own tables. */
export function readTracks(file: Uint8Array): ReadTrack[] {
  const numbers = (box: Box, from = 0): number[] =>
    Array.from({ length: Math.floor((box.content.length - from) / 4) }, (_, index) =>
      box.content.readUInt32BE(from + 4 * index),
    );
  return find(readBoxes(file), "moov")
    .boxes.filter(({ type }) => type === "trak")
    .map((trak) => {
      const mdia = find(trak.boxes, "mdia");
      const stbl = find(mdia.boxes, "minf", "stbl");
      const [, , , timescale = 0, duration = 0] = numbers(find(mdia.boxes, "mdhd"));
      const times = numbers(find(stbl.boxes, "stts"), 8);
      const sizes = numbers(find(stbl.boxes, "stsz"), 12);
      const [chunks, from = 0] = numbers(find(stbl.boxes, "stco"), 4);
      const [, , perChunk] = numbers(find(stbl.boxes, "stsc"), 4);
      if (chunks !== 1 || perChunk !== sizes.length) throw new Error("Not all samples are in the one chunk.");
      let units = 0;
      let timed = 0;
      for (let entry = 0; entry < times.length; entry += 2) {
        timed += times[entry]!;
        units += times[entry]! * times[entry + 1]!;
      }
      if (timed !== sizes.length) throw new Error(`${timed} samples have a time, ${sizes.length} a size.`);
      let to = from;
      const samples = sizes.map((size) => Buffer.from(file.subarray(to, (to += size))));
      const stss = stbl.boxes.find(({ type }) => type === "stss");
      return {
        handler: find(mdia.boxes, "hdlr").content.toString("latin1", 8, 12),
        duration: duration / timescale,
        sampleSeconds: units / timescale,
        samples,
        from,
        to,
        keySamples: stss && numbers(stss, 8),
        sampleEntry: find(stbl.boxes, "stsd").content.subarray(8),
      };
    });
}

export function trackOf(file: Uint8Array, handler: string): ReadTrack | undefined {
  return readTracks(file).find((track) => track.handler === handler);
}
