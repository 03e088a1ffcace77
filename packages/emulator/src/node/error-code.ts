/** Returns whether an error of the system has this code, such as `"ENOENT"`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** Returns whether an error says that a connection was reset. */
export function isReset(error: unknown): boolean {
  return error instanceof Error && [error, error.cause].some((one) => hasCode(one, "ECONNRESET"));
}
