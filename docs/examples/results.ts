// #region client
import {
  blobs,
  createMediaGen,
  download,
  type ResultStream,
  streams,
} from "@mediagen/sdk/node";

const media = createMediaGen();
const task = await media.video.generate("vidmodelv2", {
  prompt: "A fox runs through snow",
});
await task.wait();
// #endregion client

// #region files
const files = await download(task, "out", {
  onProgress: ({ bytes, totalBytes }) =>
    console.log(`${bytes} of ${totalBytes ?? "?"} bytes`),
});
console.log(files.map(({ path, type, sha256 }) => `${path} ${type} ${sha256}`));
// #endregion files

// #region memory
const [clip] = await blobs(task);
console.log(clip?.type, clip?.size);
// #endregion memory

// #region storage
/** Puts a result into S3, R2 or another storage, by a URL that is signed for it. */
async function store(
  { stream, type, bytes }: ResultStream,
  url: string,
): Promise<void> {
  if (bytes === undefined)
    throw new Error("The size is unknown. Use a multipart upload.");
  const headers = {
    "content-type": type ?? "application/octet-stream",
    "content-length": String(bytes),
  };
  const request = { method: "PUT", headers, body: stream, duplex: "half" as const };
  const { ok, status } = await fetch(url, request);
  if (!ok) throw new Error(`The storage returned HTTP ${status}.`);
}

const storage = process.env["STORAGE_URL"];
for (const result of storage ? await streams(task) : []) {
  await store(result, `${storage}/${task.taskid}-${result.index + 1}`);
}
// #endregion storage

// #region response
/**
 * A route handler for frameworks that use the Request and Response of fetch: Hono,
 * Next.js, Workers, Deno, Bun.
 */
async function showClip(taskid: string): Promise<Response> {
  const [result] = await streams(media.video.task(taskid));
  if (!result) return new Response(null, { status: 404 });
  return new Response(result.stream, {
    headers: { "content-type": result.type ?? "video/mp4" },
  });
}

const shown = await showClip(task.taskid);
console.log(
  shown.headers.get("content-type"),
  (await shown.arrayBuffer()).byteLength,
);
// #endregion response
