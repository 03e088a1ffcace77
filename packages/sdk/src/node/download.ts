import { createHash } from "node:crypto";
import { mkdir, stat } from "node:fs/promises";
import { basename, dirname, extname, join, sep } from "node:path";
import { type OptionTypes, readOptions } from "../errors/options.ts";
import { InvalidRequestError, invalidRequest } from "../errors/errors.ts";
import { issueOf, mustBe } from "../errors/issue.ts";
import { extensionFor, mediaTypeOf } from "../form/files.ts";
import type { ResultContext } from "../result/context.ts";
import { reportFetching, resultOptions } from "../result/fetching.ts";
import { readResult } from "../result/read-result.ts";
import { resultsOf, type TaskResult } from "../result/results-of.ts";
import type { ResultOptions, Task } from "../task/task.ts";
import { codeOf } from "./error-code.ts";
import { createPart, type PartFile, sweep } from "./part-file.ts";
import { hasBytes, publish } from "./publish.ts";

/** Options of `download`. */
export interface DownloadOptions extends ResultOptions {
  /**
   * Whether existing files may be replaced.
   * @default false
   */
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

const downloadOptions: OptionTypes<DownloadOptions> = { ...resultOptions, overwrite: "boolean", name: "any" };

/** Saves every result of a task. The entry point documents it. */
export async function download(task: Task, target: string, given: DownloadOptions): Promise<readonly Download[]> {
  return reportFetching("download", task, async (context) => {
    const options = readOptions("download", given, downloadOptions);
    if (typeof target !== "string" || target === "") {
      const expected = 'a directory or the path of a file, such as "out/"';
      throw invalidRequest("download", "target", "invalid", mustBe(expected, target));
    }
    checkName(options.name);
    const sources = await resultsOf("download", task, options.signal, context);
    const names = await namesFor(task, target, options.name);
    const done: Download[] = [];
    for (const source of sources) done.push(await downloadOne(source, context, names, options));
    return done;
  });
}

/** The directory of the results, and how their file names start and end. */
interface Names {
  /** The path that the caller passed. */
  readonly target: string;
  readonly directory: string;
  readonly name: string;
  /** The extension in the caller's path. */
  readonly extension: string | undefined;
}

/** The maximum length of a name, in bytes. Most systems allow 255, and a number, an extension and a part's ending are added. */
const longestName = 200;

async function namesFor({ taskid }: Task, target: string, name: string | undefined): Promise<Names> {
  const extension = extname(target);
  const isFile =
    extension !== "" && !target.endsWith("/") && !target.endsWith(sep) && !(await isExistingDirectory(target));
  const directory = isFile ? dirname(target) : target;
  // A directory that is new holds nothing of other processes.
  if ((await mkdir(directory, { recursive: true })) === undefined) await sweep(directory);
  if (isFile) return { target, directory, name: basename(target, extension), extension: extension.slice(1) };
  // The task's id comes from the service, and must not lead out of the directory.
  const safe = name ?? taskid.replace(/[^\w-]/g, "_");
  return { target, directory, name: shortenName(safe), extension: undefined };
}

/** Rejects a name that is no file name on some system, or leads out of the directory. */
function checkName(name: unknown): void {
  if (name === undefined || (typeof name === "string" && /^[^.\p{Cc}/\\:*?"<>|][^\p{Cc}/\\:*?"<>|]*$/u.test(name)))
    return;
  const expected = 'a file name that does not begin with a dot and has none of / \\ : * ? " < > |';
  throw invalidRequest("download", "name", "invalid", mustBe(expected, name), "", "The task is not lost.");
}

/** Returns a name that fits. Different names stay different. */
function shortenName(name: string): string {
  if (Buffer.byteLength(name) <= longestName) return name;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 16);
  // A cut character is left out.
  const start = new TextDecoder().decode(Buffer.from(name).subarray(0, longestName - 17)).replace(/\ufffd+$/, "");
  return `${start}-${digest}`;
}

async function downloadOne(
  source: TaskResult,
  context: ResultContext,
  names: Names,
  options: DownloadOptions,
): Promise<Download> {
  const part = await createPart(names.directory, `${shortenName(names.name)}-${source.index + 1}`);
  try {
    let contentType: string | undefined;
    for await (const piece of readResult(source, context, options)) {
      await part.write(piece);
      contentType = piece.type;
    }
    return await keep(part, source, contentType, names, options.overwrite ?? false);
  } finally {
    await part.remove();
  }
}

async function keep(
  part: PartFile,
  { url, index, count }: TaskResult,
  contentType: string | undefined,
  names: Names,
  overwrite: boolean,
): Promise<Download> {
  const sha256 = await part.finish();
  const { bytes } = part;
  const known = mediaTypeOf(part.head);
  const extension = names.extension ?? known?.extension ?? extensionFor(contentType, url);
  const isNumbered = names.extension === undefined || count > 1;
  const name = isNumbered ? `${names.name}-${index + 1}` : names.name;
  const path = join(names.directory, `${name}.${extension}`);
  if (overwrite) await part.moveTo(path);
  // An earlier run, or another process at this moment, may have downloaded the same result.
  else if (!(await publish(part.path, path)) && !(await hasBytes(path, bytes, sha256))) throw otherFile(path);
  return { path, bytes, type: known?.type ?? contentType, sha256 };
}

function otherFile(path: string): InvalidRequestError {
  const problem = `${JSON.stringify(path)} already exists with other bytes`;
  const issue = issueOf("target", "alreadyExists", problem, "Pass { overwrite: true } to replace it.");
  const outcome =
    "The file is probably of an earlier run. The task is not lost: it can be downloaded again, free of charge.";
  return new InvalidRequestError("download", [issue], outcome);
}

async function isExistingDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}
