export * from "./index.ts";
export { download, type Download, type DownloadOptions } from "./download.ts";
export { fileFrom, type FileFromOptions } from "./file-from.ts";
export { fileJournal, type FileJournal } from "./file-journal.ts";
