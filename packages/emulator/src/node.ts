export * from "./index.ts";
export { listen, type EmulatorServer, type ListenOptions } from "./server.ts";
export { createStateFile, type StateFile } from "./state-file.ts";
