export * from "./index.ts";
export { resultsFrom } from "./node/results-directory.ts";
export { listen, type EmulatorServer, type ListenOptions } from "./node/server.ts";
export { createStateFile, type StateFile } from "./node/state-file.ts";
