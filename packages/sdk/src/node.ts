export * from "./index.ts";
export { runBatch, type BatchFile, type BatchLine, type BatchOptions, type BatchPlan, type BatchProgress, type BatchSummary } from "./batch.ts";
export { download, type Download, type DownloadOptions } from "./download.ts";
export { fileFrom, type FileFromOptions } from "./file-from.ts";
export { fileJournal, type FileJournal } from "./file-journal.ts";
export { createMediaGen, type NodeMediaGenOptions } from "./node-client.ts";
export type { ConnectOptions } from "./node-transport.ts";
