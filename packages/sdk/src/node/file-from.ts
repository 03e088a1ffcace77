import { openAsBlob } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "../errors/errors.ts";
import { shorten } from "../errors/issue.ts";
import { type ResultGet, UnusableError } from "../result/get.ts";

export { fileFrom } from "../result/file-from.ts";

export const get: ResultGet = async (url, request) =>
  (await import("./get.ts")).nodeGet({})(url, request);

export async function openPath(text: string): Promise<File> {
  try {
    const path = /^file:/i.test(text) ? fileURLToPath(text) : text;
    const found = await stat(path);
    if (found.isDirectory()) throw new Error("it is a directory");
    // To open a pipe waits for its writer, in a thread that other files need.
    if (!found.isFile()) throw new Error("it is a pipe or a device, not a file");
    // If a file cannot be read, `openAsBlob` does not say why. `access` would need a further
    // permission of Deno.
    await open(path).then((file) => file.close());
    return new File([await openAsBlob(path)], basename(path));
  } catch (error) {
    throw new UnusableError(`cannot be read (${shorten(messageOf(error))})`);
  }
}
