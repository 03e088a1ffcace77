/** Returns the directory in which mediagen's own programs keep their state, as gh chooses it: with one store, a key is billed once. */
export function stateDirectory(): string {
  // Not imported, because the kit also runs without Node.
  const { isAbsolute, join } = process.getBuiltinModule("node:path");
  const { XDG_STATE_HOME: state = "", LOCALAPPDATA: local } = process.env;
  if (isAbsolute(state)) return join(state, "mediagen");
  if (process.platform === "win32" && local) return join(local, "mediagen");
  return join(process.getBuiltinModule("node:os").homedir(), ".local", "state", "mediagen");
}
