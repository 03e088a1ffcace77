import { createHash, randomUUID } from "node:crypto";
import { link, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, extname, join, sep } from "node:path";
import { InvalidRequestError } from "../errors/errors.ts";
import { copyResult, type ResultSource } from "../result/copy.ts";
import { headLength, sniff } from "../result/media-type.ts";
import { resultContextOf, sourcesOf } from "../result/sources.ts";
import type { ResultOptions, Task } from "../task/task.ts";

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

/** Saves every result of a task: each is whole or not there, and either all are there at the end or none. */
export async function download(task: Task, target: string, options: DownloadOptions): Promise<readonly Download[]> {
  const sources = await sourcesOf(task, options.signal);
  const stem = await stemOf(task, target, options.name);
  const done: Download[] = [];
  try {
    for (const source of sources) done.push(await downloadOne(source, task, stem, options));
    return done;
  } catch (error) {
    if (!options.overwrite) await Promise.all(done.map(({ path }) => rm(path, { force: true })));
    throw error;
  }
}

/** Where the results go: a folder, and the beginning of their names. */
interface Stem {
  readonly folder: string;
  readonly name: string;
  /** The extension that the caller asked for. */
  readonly extension: string | undefined;
}

async function stemOf({ taskid }: Task, target: string, name: string | undefined): Promise<Stem> {
  const isFolder =
    target.endsWith("/") || target.endsWith(sep) || extname(target) === "" || (await isDirectory(target));
  const extension = extname(target);
  const folder = isFolder ? target : dirname(target);
  await mkdir(folder, { recursive: true });
  if (!isFolder) return { folder, name: basename(target, extension), extension: extension.slice(1) };
  return {
    folder,
    name: name?.replace(/[^\p{L}\p{N}_.-]|^\./gu, "_") ?? taskid.replace(/[^\w-]/g, "_"),
    extension: undefined,
  };
}

async function downloadOne(source: ResultSource, task: Task, stem: Stem, options: DownloadOptions): Promise<Download> {
  const part = join(stem.folder, `.${stem.name}-${source.index + 1}.${randomUUID()}.part`);
  const file = await open(part, "wx");
  let hash = createHash("sha256");
  let bytes = 0;
  let head = new Uint8Array();
  try {
    const told = await copyResult(
      source,
      {
        async write(piece) {
          // A write may take less than it was given.
          for (let at = 0; at < piece.length;)
            at += (await file.write(piece, at, piece.length - at, bytes + at)).bytesWritten;
          hash.update(piece);
          bytes += piece.length;
          if (head.length < headLength) head = Uint8Array.from([...head, ...piece.subarray(0, headLength)]);
        },
        async restart() {
          await file.truncate();
          [hash, bytes, head] = [createHash("sha256"), 0, new Uint8Array()];
        },
      },
      resultContextOf(task),
      options,
    );
    await file.sync();
    const known = sniff(head);
    const numbered = stem.extension === undefined || source.count > 1 ? `${stem.name}-${source.index + 1}` : stem.name;
    const path = join(stem.folder, `${numbered}.${stem.extension ?? known?.extension ?? extensionIn(source.address)}`);
    await put(part, path, options.overwrite ?? false);
    return { path, bytes, type: known?.type ?? told, sha256: hash.digest("hex") };
  } finally {
    await file.close();
    await rm(part, { force: true });
  }
}

/** Gives a whole file its name: a link does so only where there is none of that name. */
async function put(part: string, path: string, overwrite: boolean): Promise<void> {
  if (overwrite) return rename(part, path);
  try {
    await link(part, path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (knowsNoLinks.includes(code)) return putWithoutLink(part, path);
    if (code !== "EEXIST") throw error;
    throw isThere(path);
  }
}

/** How disks answer that know no hard links, such as a stick or a share. */
const knowsNoLinks: readonly unknown[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

async function putWithoutLink(part: string, path: string): Promise<void> {
  try {
    await (await open(path, "wx")).close();
  } catch (error) {
    throw error instanceof Error && "code" in error && error.code === "EEXIST" ? isThere(path) : error;
  }
  await rename(part, path);
}

function isThere(path: string): InvalidRequestError {
  const issue = { field: "target", got: `a file ${path}`, allowed: "no file of that name, or overwrite" };
  return new InvalidRequestError("download: the results are not on disk", [issue]);
}

function extensionIn(address: string): string {
  return /\.(\w{1,5})$/.exec(new URL(address).pathname)?.[1] ?? "bin";
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}
