export { replaceFile } from "./durable-files.ts";
export { lockFile, stateDirectory } from "./process-info.ts";
