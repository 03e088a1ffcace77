/** The path prefix of the emulator's page, control API and results. */
export const emulatorPath = "/_emulator/";

/** The path prefix of the files of results. */
export const resultsPath = "/_emulator/results/";

/**
 * Removes repeated leading slashes, because clients append paths to base URLs that end with a
 * slash.
 */
export function withOneSlash(path: string): string {
  return path.replace(/^\/*/, "/");
}

/**
 * Returns whether a path is the emulator's own. The prefix also counts without its trailing slash.
 */
export function isEmulatorPath(pathname: string): boolean {
  return `${pathname}/`.startsWith(emulatorPath);
}
