/** Returns a duration in words, such as `30 minutes`. */
export function describeDuration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  const [count, unit] = ms % 60_000 === 0 ? [ms / 60_000, "minute"] : [ms / 1_000, "second"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
