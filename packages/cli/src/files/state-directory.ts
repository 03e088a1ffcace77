import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** Returns the directory of the command's own state, as gh chooses it: the store of every generation that has no other one. */
export function stateDirectory(): string {
  const { XDG_STATE_HOME: state = "", LOCALAPPDATA: local } = process.env;
  if (isAbsolute(state)) return join(state, "mediagen");
  if (process.platform === "win32" && local) return join(local, "mediagen");
  return join(homedir(), ".local", "state", "mediagen");
}
