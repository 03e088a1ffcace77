const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Returns the milliseconds of a duration: a number of them, or text such as `"20s"`. */
export function millisecondsOf(duration: number | string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  const ms =
    typeof duration === "number" ? duration : Number(amount) * (units[unit ?? ""] ?? Number.NaN);
  if (ms >= 0 && Number.isFinite(ms)) return ms;
  throw new RangeError(
    `duration: ${JSON.stringify(duration)} is not valid. Use milliseconds or text such as "20s", "5m" or "1h".`,
  );
}
