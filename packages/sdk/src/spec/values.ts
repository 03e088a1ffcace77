export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const nameless: object = Object.create(null);

/**
 * Creates an empty object, for any names of a caller. With no prototype, it would take longer to
 * fill. The cast: it is empty.
 */
export const emptyRecord = (): Record<string, unknown> =>
  Object.create(nameless) as Record<string, unknown>;

/** Deletes the undefined fields of a new object, and returns it. */
export function withoutUndefined<T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  for (const name in fields) if (fields[name] === undefined) delete fields[name];
  // The cast: undefined fields are gone.
  return fields as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/**
 * Returns a function that loads at its first call, and again after a failure: what could not be
 * loaded may be there later.
 */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}
