/** Returns a number of things in words. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Returns the milliseconds of a time such as `90s`. A number alone is seconds. */
export function readDuration(text: string): number | undefined {
  const [, amount = "", unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  // The cast: the pattern names the units.
  return amount === "" ? undefined : Number(amount) * units[unit as keyof typeof units];
}

/** Returns milliseconds as minutes and seconds, such as `1:05`. */
export function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * Returns a text without control characters, because a text of the service must not control the
 * terminal.
 */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, "?");
}

/** Returns such a text on one line. */
export function onOneLine(text: string): string {
  return printable(text.replace(/\s*\n\s*/g, " "));
}

/** Returns rows as aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths =
    rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
