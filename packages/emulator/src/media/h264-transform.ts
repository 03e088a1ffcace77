/** The transform of 4 x 4 differences in H.264 (ITU-T H.264, 8.5.12) as sums of patterns. */

/**
 * QP. Each 6 double the steps. At 6, the inverse transform halves only even numbers, so the sums of
 * patterns are exact.
 */
export const quantiser = 6;

/** The four frequencies in one direction. */
const waves = [1, 1, 1, 1, 1, 0.5, -0.5, -1, 1, -1, -1, 1, 0.5, -1, 1, -0.5];
const waveOf = (frequency: number) => waves.slice(4 * frequency, 4 * frequency + 4);

/**
 * What a level of 1 adds to each pixel, in 64ths, for each coefficient in the order of figure 8-8.
 */
const patterns = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15].map((place) => {
  // normAdjust, 8.5.9
  const step = ([10, 13, 16][(place & 1) + ((place >> 2) & 1)] ?? 0) * 2 ** (quantiser / 6);
  return waveOf(place >> 2).flatMap((down) =>
    waveOf(place & 3).map((across) => step * down * across),
  );
});

/** The share of each pixel in each coefficient. */
const shares = patterns.map((pattern) =>
  pattern.map((value) => (64 * value) / sumOf(pattern, pattern)),
);

/**
 * Returns the levels for differences, from the first on. None is 0, and the last one is not 1 or
 * -1, so their count needs no table.
 */
export function levelsOf(differences: readonly number[]): number[] {
  return shares.map((share, index) => {
    const level = Math.round(sumOf(share, differences));
    return Math.sign(level || 1) * Math.max(Math.abs(level), index === 15 ? 2 : 1);
  });
}

/** Returns the differences that decoders read from levels. */
export function differencesOf(levels: readonly number[]): number[] {
  return levels.map(
    (_, pixel) =>
      levels.reduce((sum, level, at) => sum + level * (patterns[at]?.[pixel] ?? 0), 32) >> 6,
  );
}

function sumOf(weights: readonly number[], values: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < 16; index++) sum += (weights[index] ?? 0) * (values[index] ?? 0);
  return sum;
}
