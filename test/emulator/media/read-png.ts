import { crc32, inflateSync } from "node:zlib";

export interface Png {
  types: string[];
  width: number;
  height: number;
  depth: number;
  palette: Uint8Array;
  /** Palette index of a pixel. */
  index(x: number, y: number): number;
}

/** Reads an indexed PNG; throws where a length, a checksum or a filter is wrong. */
export function readPng(bytes: Uint8Array): Png {
  const file = Buffer.from(bytes);
  if (file.toString("latin1", 0, 8) !== "\x89PNG\r\n\x1a\n") throw new Error("Not a PNG.");
  const chunks = new Map<string, Buffer>();
  for (let position = 8; position < file.length;) {
    const length = file.readUInt32BE(position);
    const type = file.toString("latin1", position + 4, position + 8);
    const end = position + 8 + length;
    if (file.readUInt32BE(end) !== crc32(file.subarray(position + 4, end)))
      throw new Error(`CRC of ${type} is wrong.`);
    chunks.set(type, file.subarray(position + 8, end));
    position = end + 4;
  }
  const chunk = (type: string): Buffer => chunks.get(type) ?? Buffer.alloc(0);
  const header = chunk("IHDR");
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const depth = header.readUInt8(8);
  const stride = 1 + Math.ceil((width * depth) / 8);
  const lines = inflateSync(chunk("IDAT"));
  if (lines.length !== stride * height)
    throw new Error(`${lines.length} bytes of pixels, not ${stride * height}.`);
  for (let y = 0; y < height; y++) {
    const filter = lines[y * stride];
    if (filter !== 0 && filter !== 2) throw new Error(`Filter ${filter} is not expected.`);
    if (filter === 0) continue;
    for (let x = 1; x < stride; x++)
      lines[y * stride + x] = (lines[y * stride + x]! + lines[(y - 1) * stride + x]!) & 0xff;
  }
  const index = (x: number, y: number): number => lines[y * stride + 1 + x]!;
  return { types: [...chunks.keys()], width, height, depth, palette: chunk("PLTE"), index };
}
