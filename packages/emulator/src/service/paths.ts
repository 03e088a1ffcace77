/** The path prefix of everything that only the emulator has: its page, its control API and the files of results. */
export const emulatorPath = "/_emulator/";

/** The path prefix of the files of results. */
export const resultsPath = "/_emulator/results/";

/** Returns a path that begins with one slash: clients append paths to base URLs that end in slashes. */
export function withOneSlash(path: string): string {
  return path.replace(/^\/*/, "/");
}

/** Returns whether a path is the emulator's own, not the service's; the prefix also counts without its last slash. */
export function isEmulatorPath(pathname: string): boolean {
  return `${pathname}/`.startsWith(emulatorPath);
}
