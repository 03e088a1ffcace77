/** The code of a system error, such as `ENOENT`; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
