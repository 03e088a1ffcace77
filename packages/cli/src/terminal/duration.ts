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
