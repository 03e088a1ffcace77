/**
 * Pictures: a card as a palette PNG (W3C Portable Network Graphics, third edition, by its clauses).
 */

import { join, u32 } from "./bytes.ts";
import { type Card, type CardOptions, drawCard, drawLabel, lumaOf, toneIndex } from "./card.ts";
import { mostInk } from "./plane.ts";
import type { Tone } from "./tones.ts";
import { zlibSync } from "fflate";

/**
 * Returns a PNG of exactly this size that shows the text. The same options give the same bytes on
 * every machine.
 */
export function renderPicture(options: CardOptions): Uint8Array<ArrayBuffer> {
  const { width, height, description } = options;
  // With each amount of ink, they are at most the 256 colours of a palette.
  const card = drawCard(options, Math.floor(256 / (mostInk + 1)));
  drawLabel(card, `${width} x ${height}`);
  const palette = card.tones.flatMap((tone) =>
    Array.from({ length: mostInk + 1 }, (_, ink) => rgb({ ...tone, y: lumaOf(tone, ink) })).flat(),
  );
  return join(
    [0x89, ...join("PNG"), 0x0d, 0x0a, 0x1a, 0x0a], // 5.2 signature
    // 11.2.1: 8 bits, indexed colour; the one compression and filter method; not interlaced
    chunk("IHDR", join(u32(width, height), [8, 3, 0, 0, 0])),
    chunk("PLTE", join(palette)), // 11.2.2
    // 11.3.3.4: keyword, no compression, no language, no translated keyword, UTF-8.
    ...(description
      ? [chunk("iTXt", join("Description", [0, 0, 0, 0, 0], new TextEncoder().encode(description)))]
      : []),
    // 11.2.3. Level 3 takes 40 % of the time of the usual 6. Memory is set because fflate derives
    // it by a logarithm otherwise, whose last bit differs between engines.
    chunk("IDAT", zlibSync(scanlinesOf(card), { level: 3, mem: 4 })),
    chunk("IEND", join()), // 11.2.4
  );
}

/**
 * 7.2: a byte for each pixel, each line after its filter type: 0 (None), or 2 (Up) with zeros for a
 * line like the one above it.
 */
function scanlinesOf(card: Card): Uint8Array<ArrayBuffer> {
  const { width, height, ink } = card;
  const scanlines = new Uint8Array((1 + width) * height);
  for (let row = 0; row < height; row++) {
    const start = row * (1 + width);
    const from = row * width;
    const tone = toneIndex(card, row);
    let alike = row > 0 && tone === toneIndex(card, row - 1) ? 0 : width;
    while (alike < width && ink[from + alike] === ink[from + alike - width]) alike++;
    if (alike === width && row > 0) scanlines[start] = 2;
    else
      for (let x = 0; x < width; x++)
        scanlines[start + 1 + x] = tone * (mostInk + 1) + (ink[from + x] ?? 0);
  }
  return scanlines;
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
 * Returns a colour as red, green, blue: the BT.709 matrix from video range to full range, in
 * 256ths.
 */
function rgb({ y, cb, cr }: Tone): number[] {
  const luma = 298 * (y - 16) + 128;
  const blue = cb - 128;
  const red = cr - 128;
  return [luma + 459 * red, luma - 55 * blue - 136 * red, luma + 541 * blue].map((value) =>
    Math.max(0, Math.min(255, value >> 8)),
  );
}
