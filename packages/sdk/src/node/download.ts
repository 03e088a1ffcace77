import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, extname, join, sep } from "node:path";
import { invalidRequest } from "../errors/errors.ts";
import { mustBe, notLost } from "../errors/issue.ts";
import { type OptionTypes, readOptions } from "../errors/options.ts";
import { extensionFor } from "../form/files.ts";
import { readResult, type Result } from "../result/read-result.ts";
import { reportFetching, resultOptions, resultsOf } from "../result/results.ts";
import type { ResultOptions, Task } from "../task/task.ts";
import { newPart, publish, removeParts, sync } from "./durable-files.ts";

/** Options of `download`. */
export interface DownloadOptions extends ResultOptions {
  /** Whether existing files may be replaced. @default false */
  readonly overwrite?: boolean | undefined;
  /**
   * The start of the file names in a directory: a file name on every system, without a path.
   * @default the task's id
   */
  readonly name?: string | undefined;
}

/** One downloaded result. */
export interface Download {
  /** The path of the file. */
  readonly path: string;
  /** The size in bytes. */
  readonly bytes: number;
  /** The media type, from the file's first bytes, or else from the server's Content-Type. */
  readonly type: string | undefined;
  /** The SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
}

const downloadOptions: OptionTypes<DownloadOptions> = {
  ...resultOptions,
  overwrite: "boolean",
  name: "any",
};

export function download(
  task: Task,
  target: string,
  given: DownloadOptions,
): Promise<readonly Download[]> {
  return reportFetching("download", task, async (host) => {
    const options = readOptions("download", given, downloadOptions, notLost);
    checkPlace(target, options.name);
    const results = await resultsOf(task, host, options.signal);
    const place = placeOf(task, target, options.name);
    await mkdir(place.directory, { recursive: true });
    if (swept !== place.directory) await removeParts((swept = place.directory));
    const done: Download[] = [];
    for (const result of results) done.push(await downloadOne(result, place, options));
    return done;
  });
}

/**
 * The directory that was swept last. A batch, which has many thousand files in one, downloads into
 * it again and again.
 */
let swept: string | undefined;

/**
 * The maximum length of a name, in bytes. Most systems allow 255, and a number and an extension are
 * added.
 */
const longestName = 200;

/**
 * Rejects a target that is no path, and a name that is no file name on some system, or leads out of
 * the directory.
 */
function checkPlace(target: unknown, name: unknown): void {
  if (typeof target !== "string" || !/^[^\0]+$/.test(target)) {
    const expected = 'a directory or the path of a file, such as "out/"';
    throw invalidRequest("download", "target", "invalid", mustBe(expected, target), notLost);
  }
  const isName =
    typeof name === "string" && /^[^.\p{Cc}/\\:*?"<>|][^\p{Cc}/\\:*?"<>|]*$/u.test(name);
  if (name === undefined || (isName && Buffer.byteLength(name) <= longestName)) return;
  const expected = `a file name of at most ${longestName} bytes without a dot at its start and / \\ : * ? " < > |`;
  throw invalidRequest("download", "name", "invalid", mustBe(expected, name), "", notLost);
}

/** The directory of the results, and how their file names start and end. */
interface Place {
  readonly directory: string;
  readonly name: string;
  /** The extension in the caller's path, with its dot; an empty text for a directory. */
  readonly extension: string;
}

function placeOf({ taskid }: Task, target: string, name: string | undefined): Place {
  const extension = target.endsWith("/") || target.endsWith(sep) ? "" : extname(target);
  if (extension !== "" && !statSync(target, { throwIfNoEntry: false })?.isDirectory())
    return { directory: dirname(target), name: basename(target, extension), extension };
  // The task's id comes from the service, and must not lead out of the directory. No two ids may
  // have one name.
  const isName = taskid.length <= longestName && /^[\w-]+$/.test(taskid);
  const id = isName ? taskid : createHash("sha256").update(taskid).digest("hex");
  return { directory: target, name: name ?? id, extension: "" };
}

async function downloadOne(
  result: Result,
  place: Place,
  options: DownloadOptions,
): Promise<Download> {
  const { directory, name, extension } = place;
  const part = newPart(directory);
  const file = await open(part, "wx");
  try {
    const { type, ...written } = await write(file, result, options);
    const number = extension === "" || result.count > 1 ? `-${result.index + 1}` : "";
    const path = join(
      directory,
      name + number + (extension || `.${extensionFor(type, result.url)}`),
    );
    if (options.overwrite) await rename(part, path);
    // An earlier run, or another process at this moment, may have downloaded the same result.
    else if (!(await publish(part, path)) && !(await hasBytes(path, written))) {
      const problem = `${JSON.stringify(path)} already exists with other content`;
      const advice = "Pass { overwrite: true } to replace it.";
      throw invalidRequest("download", "target", "alreadyExists", problem, advice, notLost);
    }
    await sync(directory);
    return { path, type, ...written };
  } finally {
    await file.close();
    await rm(part, { force: true });
  }
}

async function write(
  file: FileHandle,
  result: Result,
  options: ResultOptions,
): Promise<Omit<Download, "path">> {
  let hash = createHash("sha256");
  let end = 0;
  let mediaType: string | undefined;
  for await (const { at, bytes, type } of readResult(result, options)) {
    if (at === 0) {
      hash = createHash("sha256");
      await file.truncate();
    }
    // One write may take only some of the bytes.
    for (let done = 0; done < bytes.length;)
      done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
    hash.update(bytes);
    end = at + bytes.length;
    mediaType = type;
  }
  await file.sync();
  return { bytes: end, type: mediaType, sha256: hash.digest("hex") };
}

async function hasBytes(
  path: string,
  expected: Pick<Download, "bytes" | "sha256">,
): Promise<boolean> {
  const found = await stat(path);
  if (!found.isFile() || found.size !== expected.bytes) return false;
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest("hex") === expected.sha256;
}
