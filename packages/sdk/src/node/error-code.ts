/** Returns the code of a system error, such as `ENOENT`; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** Returns whether link(2) failed because the file system has no hard links, such as that of a USB stick or a network share. */
export function isLinkUnsupported(error: unknown): boolean {
  return /^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test(codeOf(error) ?? "");
}
