import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** Returns the directory of the `mediagen` command's store. With a shared store, a key returns the same task in both. */
export function stateDirectory(): string {
  const { XDG_STATE_HOME: state = "", LOCALAPPDATA: local } = process.env;
  if (isAbsolute(state)) return join(state, "mediagen");
  if (process.platform === "win32" && local) return join(local, "mediagen");
  return join(homedir(), ".local", "state", "mediagen");
}
