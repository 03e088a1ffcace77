import { access, constants, mkdir } from "node:fs/promises";
import { type AnyTask, download, streams } from "@mediagen/sdk/node";

const isUrl = (place: string) => /^https?:\/\//.test(place);
/**
 * Creates the directory RESULTS, and checks that it is writable: before an order is
 * paid.
 */
export async function prepareResults(place: string): Promise<void> {
  if (!isUrl(place))
    await mkdir(place, { recursive: true }).then(() =>
      access(place, constants.W_OK),
    );
}
/**
 * Saves the results of a task in a place below RESULTS. It is safe to save them
 * twice. Resolves to their paths or URLs.
 */
export async function saveResults(
  place: string,
  task: AnyTask,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (isUrl(place)) return upload(place, task, signal);
  return (await download(task, place, { overwrite: true, signal })).map(
    ({ path }) => path,
  );
}
/**
 * Streams results to object storage by PUT. Use the client of your storage here,
 * such as Upload of @aws-sdk/lib-storage.
 */
async function upload(
  place: string,
  task: AnyTask,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const saved: string[] = [];
  for (const {
    stream: body,
    type = "application/octet-stream",
    bytes,
    index,
  } of await streams(task, { signal })) {
    const headers = {
      "content-type": type,
      ...(bytes !== undefined && { "content-length": String(bytes) }),
    };
    const options = {
      method: "PUT",
      body,
      headers,
      signal,
      duplex: "half",
    } as const;
    const url = `${place}/${task.taskid}-${index + 1}`;
    const response = await fetch(url, options);
    if (!response.ok)
      throw new Error(`The storage returned HTTP ${response.status}.`);
    saved.push(url);
  }
  return saved;
}
