import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** What this file uses of opentype.js, which has no types. */
interface Font {
  readonly unitsPerEm: number;
  charToGlyph(character: string): { readonly advanceWidth: number; readonly path: { readonly commands: Command[] } };
}

interface Command {
  readonly type: "M" | "L" | "Q" | "Z";
  readonly [coordinate: string]: unknown;
}

const require = createRequire(import.meta.url);

/** The outlines of printable ASCII in DejaVu Sans Condensed Bold, as paths of SVG. */
export function glyphsFile(): string {
  const { parse } = require("opentype.js") as { parse(file: ArrayBuffer): Font };
  const file = readFileSync(require.resolve("dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf"));
  const font = parse(new Uint8Array(file).buffer);
  const scale = 1_000 / font.unitsPerEm;
  const glyphs = Array.from({ length: 95 }, (_, index) => font.charToGlyph(String.fromCharCode(0x20 + index)));
  const lines = glyphs.map(
    ({ advanceWidth, path }) => `  [${Math.round(advanceWidth * scale)}, "${pathOf(path.commands, scale)}"],`,
  );
  return `/**
 * Outlines of DejaVu Sans Condensed Bold. Copyright (c) 2003 by Bitstream, Inc. All Rights Reserved; the changes of DejaVu are in the
 * public domain. https://dejavu-fonts.github.io/License.html permits to use, modify and distribute them.
 *
 * For each character from the space on, in thousandths of the text's size: how far it moves on, and its outline from its place on
 * the baseline. Coordinates are relative, except those of M.
 */
export const glyphs: readonly (readonly [advance: number, path: string])[] = [
${lines.join("\n")}
];
`;
}

/** A path with y downwards, as short as it can be. */
function pathOf(commands: readonly Command[], scale: number): string {
  let [x, y] = [0, 0];
  const parts = commands.map((command) => {
    const at = (name: string, sign = 1) => Math.round(sign * Number(command[name]) * scale);
    if (command.type === "Z") return "";
    const [endX, endY, byX, byY] = [at("x"), at("y", -1), at("x") - x, at("y", -1) - y];
    const control = command.type === "Q" ? `${at("x1") - x} ${at("y1", -1) - y} ` : "";
    [x, y] = [endX, endY];
    if (command.type === "M") return `M${endX} ${endY}`;
    if (control === "" && byX === 0 && byY === 0) return "";
    if (control !== "") return `q${control}${byX} ${byY}`;
    if (byY === 0) return `h${byX}`;
    return byX === 0 ? `v${byY}` : `l${byX} ${byY}`;
  });
  return parts.join("").replaceAll(" -", "-");
}
