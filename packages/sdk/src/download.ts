import { createWriteStream } from "node:fs";
import { link, mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ConnectionError, InvalidRequestError, ServiceError } from "./errors.ts";
import { extensionOf } from "./source-file.ts";
import { fetchOf, type CallOptions, type Task } from "./task.ts";

/** One downloaded result. */
export interface Download {
  /** Where it stands. */
  readonly path: string;
  /** Its size in bytes. */
  readonly bytes: number;
  /** Its media type, as its server says; undefined where it does not. */
  readonly type: string | undefined;
}

/**
 * Downloads every result of a task into the directory, which is made if need be. A file is complete or not there, and
 * never overwrites another.
 *
 * @throws {@link InvalidRequestError} the task has no results yet, or a file of the name exists already
 * @throws {@link ServiceError} a result's server refused
 * @throws {@link ConnectionError} a result did not arrive whole; downloading again is safe
 */
export async function download(task: Task, directory: string, { signal }: CallOptions = {}): Promise<readonly Download[]> {
  const { url: addresses } = task.record ?? (await task.check({ signal })).record;
  if (addresses.length === 0) {
    throw new InvalidRequestError("download: there is nothing to download", [{ field: "task", got: `${task.taskid} without results`, allowed: "a task that has succeeded: wait for it first" }]);
  }
  await mkdir(directory, { recursive: true });
  const downloads: Download[] = [];
  try {
    for (const [index, address] of addresses.entries()) {
      const name = `${task.taskid.replace(/[^\w.-]/g, "_")}-${index + 1}`;
      downloads.push(await downloadOne(task, address, join(directory, name), signal));
    }
    return downloads;
  } catch (error) {
    // All or none, so that the same call may be made again.
    await Promise.all(downloads.map(({ path }) => rm(path, { force: true })));
    throw error;
  }
}

async function downloadOne(task: Task, address: string, stem: string, signal: AbortSignal | undefined): Promise<Download> {
  const response = await get(task, address, signal);
  const type = response.headers.get("content-type")?.split(";")[0]?.trim();
  const path = `${stem}.${extensionIn(type, address)}`;
  const part = `${path}.${crypto.randomUUID()}.part`;
  try {
    if (await exists(path)) throw nameTaken(path);
    // The cast: DOM's and Node's types of one and the same stream class differ.
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
    await pipeline(body, createWriteStream(part, { flags: "wx" }), signal ? { signal } : {});
    const { size: bytes } = await stat(part);
    await link(part, path);
    return { path, bytes, type };
  } catch (cause) {
    // An abandoned body would hold its connection, and with it the process.
    await response.body?.cancel().catch(() => undefined);
    signal?.throwIfAborted();
    if (cause instanceof InvalidRequestError) throw cause;
    if (isErrno(cause, "EEXIST")) throw nameTaken(path);
    throw isErrno(cause) ? cause : new ConnectionError("download", cause);
  } finally {
    await rm(part, { force: true });
  }
}

async function get(task: Task, address: string, signal: AbortSignal | undefined): Promise<Response> {
  let response: Response;
  try {
    response = await fetchOf(task)(new Request(address, { signal: signal ?? null }));
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ConnectionError("download", cause);
  }
  if (response.ok && response.body) return response;
  await response.body?.cancel();
  throw new ServiceError(`the result's server answered HTTP ${response.status}`, "download", { status: response.status, text: "" });
}

function extensionIn(type: string | undefined, address: string): string {
  const extension = extensionOf(type ?? "");
  return extension === "bin" ? (/\.(\w{1,5})$/.exec(new URL(address).pathname)?.[1] ?? extension) : extension;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (isErrno(error, "ENOENT")) return false;
      throw error;
    },
  );
}

function nameTaken(path: string): InvalidRequestError {
  const issue = { field: "directory", got: `a file ${path}`, allowed: "no file of that name: nothing is overwritten" };
  return new InvalidRequestError("download: the results are not on disk", [issue]);
}

function isErrno(error: unknown, code?: string): boolean {
  return error instanceof Error && "syscall" in error && "code" in error && (code === undefined || error.code === code);
}
