import { basename } from "node:path";
import { blobs, download, type AnyTask, type Download } from "@mediagen/sdk/node";
import type { CommandContext } from "../client/connect.ts";
import type { Options } from "../flags/flags.ts";
import { stdoutTarget, typeOfName } from "../files/target.ts";
import { stdoutFailure } from "../terminal/stdout-failure.ts";
import { nameOf } from "./task-name.ts";

/** Downloads the results of a task to a path or to stdout, and prints where they are. */
export async function downloadResults(
  task: AnyTask,
  target: string,
  options: Options,
  { signal, progress, output }: CommandContext,
): Promise<readonly Download[]> {
  if (target === stdoutTarget) return printResults(task, signal);
  const files = await download(task, target, {
    overwrite: options.overwrite,
    signal,
    onProgress({ index, count, bytes, totalBytes }) {
      const share = totalBytes
        ? `${Math.floor((100 * bytes) / totalBytes)} %`
        : `${Math.ceil(bytes / 1_000)} kB`;
      // In a pipe each piece would be a line.
      if (process.stderr.isTTY)
        progress.now(`${nameOf(task)} downloading ${index + 1} of ${count}, ${share}`);
    },
  });
  // stdout may be the same terminal.
  progress.end();
  for (const { path, bytes, type } of files) {
    const about = [
      basename(path),
      `${Math.ceil(bytes / 1_000)} kB`,
      ...(type === undefined ? [] : [type]),
    ];
    progress.note(`${nameOf(task)} ${about.join(", ")}`);
    output.line(path);
    const expected = typeOfName(path);
    if (expected !== undefined && type !== undefined && expected !== type)
      progress.warn(`mediagen: ${path} holds ${type}, not ${expected}`);
  }
  return files;
}

/** Writes the results to stdout. They are held in memory until it has taken them. */
async function printResults(task: AnyTask, signal: AbortSignal): Promise<readonly Download[]> {
  const results = await blobs(task, { signal });
  const files: Download[] = [];
  for (const result of results) {
    const bytes = new Uint8Array(await result.arrayBuffer());
    process.stdout.write(bytes);
    const sha256 = process
      .getBuiltinModule("node:crypto")
      .createHash("sha256")
      .update(bytes)
      .digest("hex");
    files.push({ path: stdoutTarget, bytes: bytes.length, type: result.type, sha256 });
  }
  const failure = await stdoutFailure();
  if (failure) throw failure;
  return files;
}
