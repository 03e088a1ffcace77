import {
  createMediaGen as createPlainMediaGen,
  type MediaGenEvent,
  type MediaGenOptions,
  type ResultProgress,
  streams,
} from "@mediagen/sdk";
import { createMediaGen } from "@mediagen/sdk/node";
import nodeFetch from "node-fetch";
import { describe, expect, test, vi } from "vitest";
import { clientOf, errorOf, success, throwing } from "./fake-service.ts";
import { cutOnce, serveResults } from "./result-server.ts";

const gif = Buffer.concat([
  Buffer.from("GIF89a"),
  Buffer.alloc(200_000, "and the rest of a picture"),
]);
const half = 100_000;
const { handlers, requests, taskWith } = serveResults({
  "/1": (_, response) => response.setHeader("content-length", gif.length).end(gif),
  "/short": (_, response) =>
    response.setHeader("content-type", "text/plain; charset=utf-8").end("hello"),
  "/chunked": (_, response) => response.write(gif, () => response.end()),
  "/gone": (_, response) => response.writeHead(404).end(),
  "/page": (_, response) => response.setHeader("content-type", "text/html").end("<html>"),
  "/stuck": (_, response) =>
    response.setHeader("content-length", gif.length).write(gif.subarray(0, half)),
  "/endless": (_, response) => {
    const write = () =>
      void (
        !response.destroyed && response.write(Buffer.alloc(65_536, 1), () => setImmediate(write))
      );
    write();
  },
});
const bytesOf = async (stream: ReadableStream<Uint8Array> | undefined) =>
  Buffer.from(await new Response(stream).arrayBuffer());
const typesOf = (events: readonly MediaGenEvent[]) => events.map(({ type }) => type);
const broken = new RangeError("mine");
/** The connections of results at this path are closed. */
const expectClosed = (path = "") =>
  vi.waitFor(
    () =>
      expect(
        requests.every(({ socket, url = "" }) => !url.startsWith(path) || socket.destroyed),
      ).toBe(true),
    5_000,
  );

describe.each([
  ["@mediagen/sdk", createPlainMediaGen],
  ["@mediagen/sdk/node", createMediaGen],
] as const)("streams of results with %s", (_, create) => {
  const taskAt = (paths: readonly string[], options?: MediaGenOptions) =>
    taskWith(create, paths, options);

  test("have their types, by their bytes or else by the server, their sizes and their order", async () => {
    const { task, events } = taskAt(["/1", "/short", "/chunked"]);
    const progress: ResultProgress[] = [];
    const opened = await streams(task, { onProgress: (one) => void progress.push(one) });
    expect(opened).toMatchObject([
      { index: 0, type: "image/gif", bytes: gif.length },
      { index: 1, type: "text/plain", bytes: 5 },
      { index: 2, type: "image/gif", bytes: undefined },
    ]);
    expect(await Promise.all(opened.map(({ stream }) => bytesOf(stream)))).toEqual([
      gif,
      Buffer.from("hello"),
      gif,
    ]);
    const all = { index: 0, count: 3, bytes: gif.length, totalBytes: gif.length };
    expect(progress.findLast(({ index }) => index === 0)).toEqual(all);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(events).toEqual([]);
  });

  test("continue where they were cut, if the server can", async () => {
    handlers["/cut"] = cutOnce(gif, half, { etag: '"1"' }, { headers: { etag: '"1"' } });
    const { task, events } = taskAt(["/cut"]);
    const [result] = await streams(task);
    expect(await bytesOf(result?.stream)).toEqual(gif);
    expect(requests.map(({ headers }) => headers.range)).toEqual([undefined, `bytes=${half}-`]);
    expect(typesOf(events)).toEqual(["retried"]);
  });

  test.for<[string, Record<string, string>]>([
    ["no ETag", {}],
    ["another ETag for the rest", { etag: '"2"' }],
  ])("never mix two results: cut, with %s, they end in an error", async ([, headers]) => {
    handlers["/cut"] = cutOnce(gif, half, "etag" in headers ? { etag: '"1"' } : {}, { headers });
    const { task, events } = taskAt(["/cut"]);
    const [result] = await streams(task);
    const error = await errorOf(bytesOf(result?.stream));
    expect(error).toHaveProperty("name", "ConnectionError");
    expect(events.at(-1)).toMatchObject({
      type: "failed",
      operation: "download",
      taskid: "../t:1",
      error,
    });
    const [again] = await streams(task);
    expect(await bytesOf(again?.stream)).toEqual(gif);
  });

  test("do not stall while nobody reads, and do when the server stops", async () => {
    const limits = new Set<() => void>();
    const sleep = (_: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        limits.add(resolve);
        signal.addEventListener("abort", () => limits.delete(resolve));
      });
    const { task, events } = taskAt(["/1", "/stuck"], { retries: 0, clock: { sleep } });
    const [complete, stuck] = await streams(task);
    expect(limits.size).toBe(0);
    expect(await bytesOf(complete?.stream)).toEqual(gif);
    const stalled = errorOf(bytesOf(stuck?.stream));
    await vi.waitFor(() => {
      for (const pass of limits) pass();
      expect(typesOf(events)).toEqual(["failed"]);
    });
    expect(await stalled).toHaveProperty("name", "ConnectionError");
  });

  test("fetch little more than is read, and close their connection when they are cancelled, which is no failure", async () => {
    const { task, events } = taskAt(["/endless", "/endless?unread"]);
    const [read, unread] = await streams(task);
    const socket = requests[0]?.socket;
    const reader = read?.stream.getReader();
    await reader?.read();
    await new Promise((resolve) => setTimeout(resolve, 300));
    // The system's buffers take some megabytes.
    expect(socket?.bytesWritten).toBeLessThan(40_000_000);
    await Promise.all([reader?.cancel("enough"), unread?.stream.cancel()]);
    await expectClosed();
    expect(events).toEqual([]);
  });

  test.for<[string, MediaGenOptions]>([
    ["", {}],
    [", with a fetch function whose responses end by its signal alone", { fetch: nodeFetch }],
  ])("end with the signal's reason, whether they are being read or not%s", async ([, options]) => {
    const { task } = taskAt(["/endless", "/stuck"], options);
    const controller = new AbortController();
    const { signal } = controller;
    const [unread, read] = await streams(task, { signal });
    const reading = errorOf(bytesOf(read?.stream));
    // By then it waits for the second half.
    if (options.fetch) await new Promise((resolve) => setTimeout(resolve, 100));
    controller.abort("enough");
    expect(await reading).toBe("enough");
    await expectClosed();
    expect(await errorOf(Promise.resolve(unread?.stream.getReader().read()))).toBe("enough");
    expect(await errorOf(streams(task, { signal }))).toBe("enough");
  });

  test.for<[string, object]>([
    ["/gone", { name: "ServiceError", status: 404 }],
    ["/page", { name: "ConnectionError" }],
  ])(
    "are not opened if one of them cannot be, and the others hold no connection: %s",
    async ([path, thrown]) => {
      const { task, events } = taskAt(["/endless", path], { retries: 0 });
      expect(await errorOf(streams(task))).toMatchObject(thrown);
      await expectClosed("/endless");
      expect(typesOf(events)).toEqual(["failed"]);
    },
  );

  test("obey maxBytes, and what onProgress throws", async () => {
    const failureOf = async (path: string, options: object) => {
      const opened = await streams(taskAt([path]).task, options);
      return bytesOf(opened[0]?.stream).then(
        () => "none",
        (error: unknown) => error,
      );
    };
    expect(await errorOf(failureOf("/1", { maxBytes: 1_000 }))).toHaveProperty(
      "name",
      "ServiceError",
    );
    expect(await failureOf("/endless", { maxBytes: 1_000_000 })).toHaveProperty(
      "name",
      "ServiceError",
    );
    for (const thrown of [broken, undefined])
      expect(await failureOf("/1", { onProgress: throwing(thrown) })).toBe(thrown);
  });
});

test("streams hold no more than maxBytes in memory of a result whose connection closes behind it", async () => {
  let arrived = 0;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    await new Promise((resolve) => setImmediate(resolve));
    arrived += 65_536;
    controller.enqueue(new Uint8Array(65_536).fill(1));
  };
  const { media } = clientOf([
    ({ method }) =>
      method === "POST"
        ? success({ taskid: "t-1", url: ["http://localhost/1"] })
        : new Response(new ReadableStream({ pull })),
  ]);
  const [result] = await streams(media.image.task("t-1"), { maxBytes: 1_000_000 });
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(arrived).toBeLessThan(1_300_000);
  expect(await errorOf(bytesOf(result?.stream))).toHaveProperty("name", "ServiceError");
});
