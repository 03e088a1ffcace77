import { access, constants, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type AnyTask, download, streams } from "@mediagen/sdk/node";

/** Opens the place of the results, RESULTS. It is safe to save the results of an order twice. */
export function openResults(place: string) {
  const isUrl = /^https?:\/\//.test(place);
  return {
    /** Creates the directory, and checks that it is writable: before an order is paid. */
    async prepare(): Promise<void> {
      if (!isUrl) await mkdir(place, { recursive: true }).then(() => access(place, constants.W_OK));
    },
    save: (order: string, task: AnyTask, signal: AbortSignal): Promise<unknown> =>
      isUrl
        ? upload(`${place}/${order}`, task, signal)
        : download(task, join(place, order), { overwrite: true, signal }),
    /** Returns the files of an order, as evidence that it has a task. */
    list: async (order: string): Promise<readonly string[]> =>
      isUrl ? [] : readdir(join(place, order)).catch(() => []),
  };
}
/** Streams results to object storage by PUT. Use the client of your storage here, such as Upload of @aws-sdk/lib-storage. */
async function upload(url: string, task: AnyTask, signal: AbortSignal): Promise<void> {
  for (const { stream: body, type = "application/octet-stream", bytes, index } of await streams(task, { signal })) {
    const headers = { "content-type": type, ...(bytes !== undefined && { "content-length": String(bytes) }) };
    const options = { method: "PUT", body, headers, signal, duplex: "half" } as const;
    const response = await fetch(`${url}/${task.taskid}-${index + 1}`, options);
    if (!response.ok) throw new Error(`The storage returned HTTP ${response.status}.`);
  }
}
