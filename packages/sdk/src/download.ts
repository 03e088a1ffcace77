import { createWriteStream } from "node:fs";
import { link, mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ConnectionError, InvalidRequestError, ServiceError } from "./errors.ts";
import { extensionOf } from "./source-file.ts";
import { resultFetch, type CallOptions, type Task } from "./task.ts";

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
    throw new InvalidRequestError("download", [{ field: "task", got: `${task.taskid} without results`, allowed: "a task that has succeeded: wait for it first" }]);
  }
  await mkdir(directory, { recursive: true });
  const downloads: Download[] = [];
  for (const [index, address] of addresses.entries()) {
    const name = `${task.taskid.replace(/[^\w.-]/g, "_")}-${index + 1}`;
    downloads.push(await downloadOne(task, address, join(directory, name), signal));
  }
  return downloads;
}

async function downloadOne(task: Task, address: string, stem: string, signal: AbortSignal | undefined): Promise<Download> {
  const response = await resultFetch(task)(new Request(address, { signal: signal ?? null })).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw new ConnectionError("download", cause);
  });
  if (!response.ok || !response.body) {
    throw new ServiceError(`the result's server answered HTTP ${response.status}`, "download", { status: response.status, text: "" });
  }
  const type = response.headers.get("content-type")?.split(";")[0]?.trim();
  const path = `${stem}.${extensionOf(type ?? "")}`;
  const part = `${path}.${crypto.randomUUID()}.part`;
  try {
    // The cast: DOM's and Node's types of one and the same stream class differ.
    await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), createWriteStream(part, { flags: "wx" }), signal ? { signal } : {});
    const { size: bytes } = await stat(part);
    await link(part, path);
    return { path, bytes, type };
  } catch (cause) {
    signal?.throwIfAborted();
    if (isErrno(cause, "EEXIST")) {
      throw new InvalidRequestError("download", [{ field: "directory", got: `a file ${path}`, allowed: "no file of that name: nothing is overwritten" }]);
    }
    if (isErrno(cause)) throw cause;
    throw new ConnectionError("download", cause);
  } finally {
    await rm(part, { force: true });
  }
}

function isErrno(error: unknown, code?: string): boolean {
  return error instanceof Error && "syscall" in error && "code" in error && (code === undefined || error.code === code);
}
