import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** What this file uses of opentype.js, which has no types. */
interface Glyph {
  readonly advanceWidth: number;
  getPath(x: number, y: number, size: number): { toPathData(decimals: number): string };
}

const require = createRequire(import.meta.url);

/** The outlines of printable ASCII in DejaVu Sans Condensed Bold, as paths of SVG. */
export function glyphsFile(): string {
  const { parse } = require("opentype.js") as {
    parse(file: ArrayBuffer): {
      readonly unitsPerEm: number;
      charToGlyph(character: string): Glyph;
    };
  };
  const file = readFileSync(require.resolve("dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf"));
  const font = parse(new Uint8Array(file).buffer);
  const lines = Array.from({ length: 95 }, (_, index) => {
    const glyph = font.charToGlyph(String.fromCharCode(0x20 + index));
    const advance = Math.round((glyph.advanceWidth * 1_000) / font.unitsPerEm);
    return `  [${advance}, "${glyph.getPath(0, 0, 1_000).toPathData(0)}"],`;
  });
  return `/**
 * Outlines of DejaVu Sans Condensed Bold. Copyright (c) 2003 by Bitstream, Inc. All Rights
 * Reserved; the changes of DejaVu are in the public domain.
 * https://dejavu-fonts.github.io/License.html permits to use, modify and distribute them.
 *
 * For each character from the space on, in thousandths of the text's size: how far it moves on, and
 * its outline from its place on the baseline.
 */
export const glyphs: readonly (readonly [advance: number, path: string])[] = [
${lines.join("\n")}
];
`;
}
