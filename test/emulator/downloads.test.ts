import { createEmulator, type Behaviour, type Emulator } from "@mediagen/emulator";
import { createMediaGen, type MediaGen } from "@mediagen/sdk";
import { beforeEach, expect, test } from "vitest";

let emulator: Emulator;
let media: MediaGen;
beforeEach(() => start());

function start(behaviour: Partial<Behaviour> = {}): void {
  emulator = createEmulator({ clock: "manual", behaviour });
  media = createMediaGen(emulator.client);
}

/** The URL of the result of a new, finished task. */
async function resultOf(prompt = "A fox runs through snow"): Promise<string> {
  const { taskid } = await media.video.generate("vidmodelv2", { prompt });
  emulator.clock.advance("1m");
  return (await media.video.query(taskid)).url?.[0] ?? "";
}

async function get(url: string, headers: Record<string, string> = {}, method = "GET") {
  const response = await emulator.fetch(url, { method, headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(response.headers), bytes };
}

test("a result has a length, a type and an ETag, and HEAD returns them without the bytes", async () => {
  const url = await resultOf();
  const whole = await get(url);
  const headers = {
    "content-type": "video/mp4",
    "accept-ranges": "bytes",
    "content-length": String(whole.bytes.length),
    etag: expect.stringMatching(/^"[^"]+"$/) as unknown,
  };
  expect(whole).toMatchObject({ status: 200, headers });
  expect((await get(url)).bytes.equals(whole.bytes)).toBe(true);
  for (const range of [{}, { range: "bytes=0-9" }])
    expect(await get(url, range, "HEAD")).toMatchObject({
      status: 200,
      headers,
      bytes: { length: 0 },
    });
});

test("a range returns 206 with these bytes, one beyond the end 416, and an invalid one everything", async () => {
  const url = await resultOf();
  const { bytes, headers } = await get(url);
  const size = bytes.length;
  for (const [range, first, end] of [
    ["bytes=100-199", 100, 200],
    ["bytes=1000-", 1000, size],
    ["bytes=-500", size - 500, size],
    [`bytes=10-${size * 2}`, 10, size],
  ] as const) {
    const part = await get(url, { range });
    expect([
      range,
      part.status,
      part.headers["content-range"],
      part.headers["content-length"],
    ]).toEqual([range, 206, `bytes ${first}-${end - 1}/${size}`, String(end - first)]);
    expect(part.bytes.equals(bytes.subarray(first, end))).toBe(true);
  }
  for (const range of [`bytes=${size}-`, "bytes=-0"])
    expect(await get(url, { range })).toMatchObject({
      status: 416,
      headers: { "content-range": `bytes */${size}` },
    });
  for (const range of ["bytes=9-3", "bytes=-", "bytes=a-b", "lines=0-9", "bytes=0-1,4-5"])
    expect([range, (await get(url, { range })).status]).toEqual([range, 200]);
  const statusIf = async (etag = "") =>
    (await get(url, { range: "bytes=0-9", "if-range": etag })).status;
  expect([await statusIf(headers["etag"]), await statusIf('"another"')]).toEqual([206, 200]);
});

test("a result that the client has already returns 304 and no bytes", async () => {
  const url = await resultOf();
  const { etag = "" } = (await get(url)).headers;
  for (const known of [etag, `"another", ${etag}`, `W/${etag}`, "*"])
    expect(await get(url, { "if-none-match": known })).toMatchObject({
      status: 304,
      bytes: { length: 0 },
    });
  expect((await get(url, { "if-none-match": '"another"' })).status).toBe(200);
});

test("a URL expires on the clock, and a query returns a new one", async () => {
  start({ linksLiveMs: 60_000 });
  const url = await resultOf();
  emulator.clock.advance(59_999);
  expect((await get(url)).status).toBe(200);
  emulator.clock.advance(1);
  expect((await get(url)).status).toBe(403);
  const fresh = await media.video.query(emulator.tasks[0]?.taskid ?? "");
  expect((await get(fresh.url?.[0] ?? "")).status).toBe(200);
});

test("there is no result before the task has ended, after its deletion, or by another name", async () => {
  const { taskid } = await media.image.generate("imgmodelv45", { prompt: "A fox", batchsize: 2 });
  const { baseUrl } = emulator.client;
  const statusOf = async (name: string) =>
    (
      await get(
        `${baseUrl}/_emulator/results/${taskid}/${name}.png?until=${emulator.clock.now() + 1e9}`,
      )
    ).status;
  expect(await statusOf("1")).toBe(404);
  emulator.clock.advance("1m");
  const names = ["1", "2", "3", "0", "-1", "1.5", "..%2f..%2fpackage"];
  expect(await Promise.all(names.map(statusOf))).toEqual([200, 200, 404, 404, 404, 404, 404]);
  await media.image.delete([taskid]);
  expect(await statusOf("1")).toBe(404);
});

test("after a reset the same id has the new prompt's result, with another ETag", async () => {
  const first = await resultOf("A fox");
  const fox = await get(first);
  emulator.reset();
  const second = await resultOf("A cat");
  expect(new URL(second).pathname).toBe(new URL(first).pathname);
  const cat = await get(second, { "if-none-match": fox.headers["etag"] ?? "" });
  expect(cat.status).toBe(200);
  expect(cat.bytes.equals(fox.bytes)).toBe(false);
});
