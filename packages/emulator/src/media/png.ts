/**
 * Pictures: a card as a palette PNG (W3C Portable Network Graphics, third edition; clauses are named next to the
 * fields).
 */

import { join, u32 } from "./bytes.ts";
import { type CardText, drawCard, drawFoot, inkLuma, toneIndex } from "./card.ts";
import type { Tone } from "./tones.ts";
import { zlibSync } from "fflate";

/** The options of `renderPicture`. */
interface PictureOptions {
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  /** The seed of the colours. */
  seed: string;
  /** The text in the picture. */
  text: CardText;
  /** The text in the file, which programs can read. */
  description?: string | undefined;
}

/** Returns a PNG of exactly this size that shows the text. The same options give the same bytes on every machine. */
export function renderPicture(options: PictureOptions): Uint8Array<ArrayBuffer> {
  const { width, height, seed, text, description } = options;
  // About 240 dots each way at any size. Narrow pictures have smaller ones, so that 120 fit across.
  const dot = Math.max(1, Math.floor(Math.min(Math.sqrt(width * height) / 240, Math.min(width, height) / 120)));
  const card = drawCard({ columns: Math.ceil(width / dot), rows: Math.ceil(height / dot), seed, text });
  drawFoot(card, `${width} x ${height}`);

  // 7.2: two pixels a byte, each scanline after its filter type. The first line of a dot row is written out (filter 0,
  // None);
  // those below repeat it, which is filter 2, Up (9.2), with zeros only.
  const stride = 1 + Math.ceil(width / 2);
  const scanlines = new Uint8Array(stride * height);
  for (let line = 0; line < height; line++) {
    const start = line * stride;
    if (line % dot !== 0) {
      scanlines[start] = 2;
      continue;
    }
    const row = line / dot;
    const tone = toneIndex(card, row) * 2;
    for (let x = 0, column = 0; x < width; column++) {
      const colour = tone + (card.ink[row * card.columns + column] ?? 0);
      for (const end = Math.min(x + dot, width); x < end; x++) {
        const byte = start + 1 + (x >> 1);
        scanlines[byte] = x % 2 === 0 ? colour << 4 : (scanlines[byte] ?? 0) | colour;
      }
    }
  }
  const palette = card.tones.flatMap((tone) => [...rgb(tone, 0), ...rgb(tone, inkLuma)]);
  return join(
    [0x89, ...join("PNG"), 0x0d, 0x0a, 0x1a, 0x0a], // 5.2 signature
    chunk("IHDR", join(u32(width, height), [4, 3, 0, 0, 0])), // 11.2.1: 4 bits, indexed colour; the one compression and filter method; not interlaced
    chunk("PLTE", join(palette)), // 11.2.2
    // 11.3.3.4: keyword, no compression, no language, no translated keyword, UTF-8.
    ...(description
      ? [chunk("iTXt", join("Description", [0, 0, 0, 0, 0], new TextEncoder().encode(description)))]
      : []),
    // 11.2.3. Level 3 takes 40 % of the time of the usual 6. Memory is set because fflate derives it by a logarithm
    // otherwise, whose last bit differs between engines.
    chunk("IDAT", zlibSync(scanlines, { level: 3, mem: 4 })),
    chunk("IEND", join()), // 11.2.4
  );
}

/** 5.3: length of the data, type, data, CRC of type and data. */
function chunk(type: string, data: Uint8Array): Uint8Array {
  const typeAndData = join(type, data);
  return join(u32(data.length), typeAndData, u32(crc32(typeAndData)));
}

/** Annex D: the CRC-32 of ISO 3309, reflected polynomial 0xEDB88320. */
function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}

const crcTable: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/**
 * Returns a tone with some luma added as red, green, blue: the BT.709 matrix from video range to full range, in
 * 256ths.
 */
function rgb({ y, cb, cr }: Tone, light: number): number[] {
  const luma = 298 * (y + light - 16) + 128;
  const blue = cb - 128;
  const red = cr - 128;
  return [luma + 459 * red, luma - 55 * blue - 136 * red, luma + 541 * blue].map((value) =>
    Math.max(0, Math.min(255, value >> 8)),
  );
}
