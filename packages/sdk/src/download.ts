import type { ResultOptions } from "./result.ts";
import type { Task } from "./task.ts";

/** How to download. */
export interface DownloadOptions extends ResultOptions {
  /**
   * Whether files of the same names may be replaced.
   * @default false
   */
  readonly overwrite?: boolean | undefined;
  /**
   * What the names of the files in a directory begin with.
   * @default the task's id
   */
  readonly name?: string | undefined;
}

/** One downloaded result. */
export interface Download {
  /** Where it stands. */
  readonly path: string;
  /** Its size in bytes. */
  readonly bytes: number;
  /** Its media type, by its bytes, else as its server says. */
  readonly type: string | undefined;
  /** The SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string;
}

/**
 * Downloads every result of a task. `target` is a directory, which is made if need be, or the path of a file: what ends in
 * an extension and is no directory. Files are named by task and number, with an extension by their bytes. Each is whole or
 * not there; either all are there at the end or none.
 *
 * @throws {@link InvalidRequestError} there is no result yet, or a file of the name is there already
 * @throws {@link ServiceError} a result's server refused, or its address may not be fetched
 * @throws {@link ConnectionError} a result did not arrive whole; downloading again is safe
 */
export async function download(task: Task, target: string, options: DownloadOptions = {}): Promise<readonly Download[]> {
  // The file system and its digests take longer to load than all of this door.
  const { saveResults } = await import("./save-results.ts");
  return saveResults(task, target, options);
}
