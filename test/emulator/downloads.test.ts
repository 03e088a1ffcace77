import { createEmulator, listen, type Behaviour, type Emulator, type EmulatorServer } from "@mediagen/emulator/node";
import { createMediaGen, type MediaGen } from "@mediagen/sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let emulator: Emulator;
let server: EmulatorServer;
let media: MediaGen;
afterEach(() => server.close());
beforeEach(() => start());

async function start(behaviour: Partial<Behaviour> = {}): Promise<void> {
  emulator = createEmulator({ clock: "manual", behaviour });
  server = await listen(emulator);
  media = createMediaGen({ baseUrl: server.baseUrl, apiKey: emulator.client.apiKey, statuses: emulator.statuses });
}

/** The address of a result of a new task that is done. */
async function addressOf(prompt = "A fox runs through snow"): Promise<string> {
  const { taskid } = await media.video.generate("vidmodelv2", { prompt });
  emulator.clock.advance("1m");
  return (await media.video.query(taskid)).url?.[0] ?? "";
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const ranged = (address: string, range: string, headers: Record<string, string> = {}) =>
  fetch(address, { headers: { range, ...headers } });

test("a result is whole, named by an ETag, and says that it can be had in parts", async () => {
  const address = await addressOf();
  const whole = await fetch(address);
  expect(whole.status).toBe(200);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    "content-type": "video/mp4",
    "accept-ranges": "bytes",
    etag: expect.stringMatching(/^"[^"]+"$/),
  });
  const bytes = await bytesOf(whole);
  expect(whole.headers.get("content-length")).toBe(String(bytes.length));
  expect(bytes).toEqual(await bytesOf(await fetch(address)));
});

test("HEAD tells the same without the bytes, also where it asks for a range", async () => {
  const address = await addressOf();
  const { headers } = await fetch(address);
  for (const range of [{}, { range: "bytes=0-9" }]) {
    const head = await fetch(address, { method: "HEAD", headers: range });
    expect(head.status).toBe(200);
    expect(await bytesOf(head)).toHaveLength(0);
    for (const name of ["content-length", "content-type", "etag"])
      expect(head.headers.get(name)).toBe(headers.get(name));
  }
});

describe("a range", () => {
  test("answers 206 with just these bytes", async () => {
    const address = await addressOf();
    const bytes = await bytesOf(await fetch(address));
    const size = bytes.length;
    for (const [range, first, end] of [
      ["bytes=0-0", 0, 1],
      ["bytes=100-199", 100, 200],
      ["bytes=1000-", 1000, size],
      ["bytes=-500", size - 500, size],
      [`bytes=-${size + 1}`, 0, size],
      [`bytes=10-${size * 2}`, 10, size],
    ] as const) {
      const part = await ranged(address, range);
      expect([range, part.status, part.headers.get("content-range")]).toEqual([
        range,
        206,
        `bytes ${first}-${end - 1}/${size}`,
      ]);
      expect(part.headers.get("content-length")).toBe(String(end - first));
      expect((await bytesOf(part)).equals(bytes.subarray(first, end))).toBe(true);
    }
  });

  test("beyond the end answers 416 with the size", async () => {
    const address = await addressOf();
    const size = (await bytesOf(await fetch(address))).length;
    for (const range of [`bytes=${size}-`, `bytes=${size + 5}-${size + 9}`, "bytes=-0"]) {
      const refused = await ranged(address, range);
      expect([range, refused.status, refused.headers.get("content-range")]).toEqual([range, 416, `bytes */${size}`]);
    }
  });

  test("that cannot be read, or in several parts, answers the whole", async () => {
    const address = await addressOf();
    for (const range of ["bytes=9-3", "bytes=-", "bytes=a-b", "lines=0-9", "bytes=0-1,4-5"])
      expect((await ranged(address, range)).status).toBe(200);
  });

  test("holds under If-Range only for the result it was asked of", async () => {
    const address = await addressOf();
    const etag = (await fetch(address)).headers.get("etag") ?? "";
    expect((await ranged(address, "bytes=0-9", { "if-range": etag })).status).toBe(206);
    expect((await ranged(address, "bytes=0-9", { "if-range": '"another"' })).status).toBe(200);
  });
});

test("what the client holds already answers 304 and no bytes", async () => {
  const address = await addressOf();
  const etag = (await fetch(address)).headers.get("etag") ?? "";
  for (const known of [etag, `"another", ${etag}`, `W/${etag}`, "*"]) {
    const answer = await fetch(address, { headers: { "if-none-match": known } });
    expect([known, answer.status, (await bytesOf(answer)).length]).toEqual([known, 304, 0]);
  }
  expect((await fetch(address, { headers: { "if-none-match": '"another"' } })).status).toBe(200);
});

test("a link expires on the clock, and a query gives a fresh one", async () => {
  await server.close();
  await start({ linksLiveMs: 60_000 });
  const address = await addressOf();
  emulator.clock.advance("59s");
  expect((await fetch(address)).status).toBe(200);
  emulator.clock.advance("1s");
  expect((await fetch(address)).status).toBe(403);
  const fresh = await media.video.query(emulator.tasks[0]?.taskid ?? "");
  expect((await fetch(fresh.url?.[0] ?? "")).status).toBe(200);
});

test("nothing is there before the task is done, beyond its results, or under another name", async () => {
  const { taskid } = await media.image.generate("imgmodelv45", { prompt: "A fox", batchsize: 2 });
  const result = (number: string) =>
    fetch(`${server.baseUrl}/_emulator/results/${taskid}/${number}.png?until=${emulator.clock.now() + 1e9}`);
  expect((await result("1")).status).toBe(404);
  emulator.clock.advance("1m");
  const statuses = await Promise.all(
    ["1", "2", "3", "0", "-1", "1.5", "..%2f..%2fpackage"].map(async (number) => (await result(number)).status),
  );
  expect(statuses).toEqual([200, 200, 404, 404, 404, 404, 404]);
  await media.image.delete([taskid]);
  expect((await result("1")).status).toBe(404);
});

test("results that come one by one can be had one by one", async () => {
  await server.close();
  await start({ resultsArrive: "one by one", pendingMs: 1_000, runningMsPerImage: 1_000 });
  const { taskid } = await media.image.generate("imgmodelv45", { prompt: "A fox", batchsize: 3 });
  const there: number[] = [];
  for (let second = 0; second < 5; second++) {
    const { url } = await media.image.query(taskid);
    for (const address of url ?? []) expect((await fetch(address)).status).toBe(200);
    there.push(url?.length ?? 0);
    emulator.clock.advance("1s");
  }
  expect(there).toEqual([0, 0, 1, 2, 3]);
});

test("after a reset the same id holds the new prompt's result, under another ETag", async () => {
  const first = await addressOf("A fox");
  const [fox, etag] = await fetch(first).then(
    async (response) => [await bytesOf(response), response.headers.get("etag")] as const,
  );
  emulator.reset();
  const second = await addressOf("A cat");
  expect(new URL(second).pathname).toBe(new URL(first).pathname);
  const cat = await fetch(second, { headers: { "if-none-match": etag ?? "" } });
  expect(cat.status).toBe(200);
  expect((await bytesOf(cat)).equals(fox)).toBe(false);
});

test("faults of downloads: an address that has expired, and a result that breaks off", async () => {
  const address = await addressOf();
  emulator.next({ fault: "linkExpired" });
  expect((await fetch(address)).status).toBe(403);
  emulator.next({ fault: "downloadCut" });
  const cut = await fetch(address);
  expect(cut.status).toBe(200);
  await expect(cut.arrayBuffer()).rejects.toThrow();
  expect((await fetch(address)).status).toBe(200);
  expect(
    emulator.calls.filter(({ operation }) => operation === "download").map(({ status, fault }) => [status, fault]),
  ).toEqual([
    [403, "linkExpired"],
    [200, "downloadCut"],
    [200, undefined],
  ]);
});
