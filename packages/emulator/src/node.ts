export * from "./index.ts";
export { listen, type EmulatorServer, type ListenOptions } from "./node/server.ts";
export { createStateFile, type StateFile } from "./node/state-file.ts";
