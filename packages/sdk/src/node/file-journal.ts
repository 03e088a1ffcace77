import { resolve } from "node:path";
import { InvalidRequestError } from "../errors/errors.ts";
import { describeValue } from "../errors/issue.ts";
import type { Journal } from "../journal/journal.ts";
import { createJournal } from "../journal/journal.ts";

/** A journal in a file. */
export interface FileJournal extends Journal {
  /** Rewrites the file without what is settled, as `compactEntries` says. Other processes may use it meanwhile. */
  compact(): Promise<void>;
}

/**
 * A journal of JSON lines in a file, which is made when it is first used. The processes of one machine may share it, on a
 * local disk; a network file system may let the appends of two machines overwrite each other. Each entry is on the disk
 * (fsync) before its call goes on; a line that a crash cut off counts as not written. Containers that share it need host
 * names of their own, by which it is told whose processes have ended.
 */
export function fileJournal(path: string): FileJournal {
  if (typeof path !== "string" || path === "") {
    throw new InvalidRequestError("fileJournal: there is no journal", [
      { field: "path", got: describeValue(path), allowed: "the path of a file" },
    ]);
  }
  // Whoever changes the working directory does not move it.
  const absolute = resolve(path);
  // The file system takes longer to load than all of this door.
  const log = import("./file-log.ts").then(({ createFileLog }) => createFileLog(absolute));
  return {
    ...createJournal({
      append: async (entry) => (await log).append(entry),
      entries: async () => (await log).entries(),
      entriesOf: async (origin, once) => (await log).entriesOf(origin, once),
    }),
    compact: async () => (await log).compact(),
  };
}
