import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, link, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, extname, join, sep } from "node:path";
import { InvalidRequestError } from "../errors/errors.ts";
import { invalid } from "../errors/issue.ts";
import { resultContextOf } from "../result/context.ts";
import { copyResult } from "../result/copy.ts";
import { headLength, mediaTypeOf } from "../form/media-type.ts";
import { type ResultSource, sourcesOf } from "../result/sources.ts";
import type { ResultSink } from "../result/transfer.ts";
import type { ResultOptions, Task } from "../task/task.ts";

/** How to download results. */
export interface DownloadOptions extends ResultOptions {
  /**
   * Whether existing files may be replaced.
   * @default false
   */
  readonly overwrite?: boolean | undefined;
  /**
   * The start of the file names in a directory.
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
  /** The media type, by the file's first bytes, or else by the server's Content-Type. */
  readonly type: string | undefined;
  /** The SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
}

/** Saves every result of a task. The entry point documents it. */
export async function download(task: Task, target: string, options: DownloadOptions): Promise<readonly Download[]> {
  const sources = await sourcesOf(task, options.signal);
  const names = await namesFor(task, target, options.name);
  const done: Download[] = [];
  try {
    for (const source of sources) done.push(await downloadOne(source, task, names, options));
    return done;
  } catch (error) {
    if (!options.overwrite) await Promise.all(done.map(({ path }) => rm(path, { force: true })));
    throw error;
  }
}

/** The directory of the results, and how their file names start and end. */
interface Names {
  readonly directory: string;
  readonly name: string;
  /** The extension in the caller's path. */
  readonly extension: string | undefined;
}

async function namesFor({ taskid }: Task, target: string, name: string | undefined): Promise<Names> {
  const extension = extname(target);
  const isFile =
    extension !== "" && !target.endsWith("/") && !target.endsWith(sep) && !(await isExistingDirectory(target));
  const directory = isFile ? dirname(target) : target;
  await mkdir(directory, { recursive: true });
  if (isFile) return { directory, name: basename(target, extension), extension: extension.slice(1) };
  // Neither name may lead out of the directory. The task's id comes from the service.
  const safe = name?.replace(/[^\p{L}\p{N}_.-]|^\./gu, "_") ?? taskid.replace(/[^\w-]/g, "_");
  return { directory, name: safe, extension: undefined };
}

async function downloadOne(
  source: ResultSource,
  task: Task,
  names: Names,
  options: DownloadOptions,
): Promise<Download> {
  const part = join(names.directory, `.${names.name}-${source.index + 1}.${randomUUID()}.part`);
  const file = await open(part, "wx");
  try {
    const sink = new FileSink(file);
    const contentType = await copyResult(source, sink, resultContextOf(task), options);
    await file.sync();
    const known = mediaTypeOf(sink.head);
    const extension = names.extension ?? known?.extension ?? extensionIn(source.url);
    const isNumbered = names.extension === undefined || source.count > 1;
    const name = isNumbered ? `${names.name}-${source.index + 1}` : names.name;
    const path = join(names.directory, `${name}.${extension}`);
    await publish(part, path, options.overwrite ?? false);
    return { path, bytes: sink.bytes, type: known?.type ?? contentType, sha256: sink.sha256() };
  } finally {
    await file.close();
    await rm(part, { force: true });
  }
}

/** Writes a result to a file, and keeps its first bytes and its digest. */
class FileSink implements ResultSink {
  readonly #file: FileHandle;
  #hash = createHash("sha256");
  bytes = 0;
  head = new Uint8Array();

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async write(piece: Uint8Array): Promise<void> {
    // One write may take only some of the bytes.
    for (let at = 0; at < piece.length;)
      at += (await this.#file.write(piece, at, piece.length - at, this.bytes + at)).bytesWritten;
    this.#hash.update(piece);
    this.bytes += piece.length;
    if (this.head.length < headLength) this.head = Uint8Array.from([...this.head, ...piece.subarray(0, headLength)]);
  }

  async restart(): Promise<void> {
    await this.#file.truncate();
    this.#hash = createHash("sha256");
    this.bytes = 0;
    this.head = new Uint8Array();
  }

  sha256(): string {
    return this.#hash.digest("hex");
  }
}

/** Gives a complete file its name. A hard link fails if the name exists, which a rename does not. */
async function publish(part: string, path: string, overwrite: boolean): Promise<void> {
  if (overwrite) return rename(part, path);
  try {
    await link(part, path);
  } catch (error) {
    const code = codeOf(error);
    if (withoutLinks.includes(code)) return publishWithoutLink(part, path);
    throw code === "EEXIST" ? alreadyExists(path) : error;
  }
}

/** The errors of file systems without hard links, such as USB sticks and network shares. */
const withoutLinks: readonly unknown[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

async function publishWithoutLink(part: string, path: string): Promise<void> {
  try {
    await (await open(path, "wx")).close();
  } catch (error) {
    throw codeOf(error) === "EEXIST" ? alreadyExists(path) : error;
  }
  await rename(part, path);
}

function alreadyExists(path: string): InvalidRequestError {
  const issue = invalid("target", "alreadyExists", JSON.stringify(path), "{ overwrite: true } to replace it");
  return new InvalidRequestError("download", [issue]);
}

function extensionIn(url: string): string {
  return /\.(\w{1,5})$/.exec(new URL(url).pathname)?.[1] ?? "bin";
}

async function isExistingDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
