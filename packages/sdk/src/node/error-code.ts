/** Returns the code of a system error, such as `ENOENT`; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** The codes by which file systems without hard links, such as USB sticks and network shares, reject one. */
const withoutLinks: readonly (string | undefined)[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/** Returns whether link(2) failed because the file system has no hard links. */
export function isLinkUnsupported(error: unknown): boolean {
  return withoutLinks.includes(codeOf(error));
}
