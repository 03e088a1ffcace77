import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import {
  ConnectionError,
  createMediaGen as createPlainMediaGen,
  InvalidRequestError,
  ServiceError,
  streams,
} from "@mediagen/sdk";
import { createMediaGen, type MediaGenEvent, type MediaGenOptions, type ResultProgress } from "@mediagen/sdk/node";
import nodeFetch from "node-fetch";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { clientOf, errorOf, success } from "./fake-service.ts";

const gif = Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(200_000, "and the rest of a picture")]);
const half = 100_000;
const requests: IncomingMessage[] = [];
const handlers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  "/1": (_, response) => response.setHeader("content-length", gif.length).end(gif),
  "/short": (_, response) => response.setHeader("content-type", "text/plain; charset=utf-8").end("hello"),
  "/chunked": (_, response) => void response.write(gif, () => response.end()),
  "/gone": (_, response) => response.writeHead(404).end(),
  "/page": (_, response) => response.setHeader("content-type", "text/html").end("<html>"),
  "/stuck": (_, response) => void response.setHeader("content-length", gif.length).write(gif.subarray(0, half)),
  "/endless": (_, response) => {
    const write = () =>
      void (!response.destroyed && response.write(Buffer.alloc(65_536, 1), () => setImmediate(write)));
    write();
  },
};

/** Cuts the first response, and continues it, unless its ETag or the method says that it cannot. */
function cutOnce(first: Record<string, string>, rest: Record<string, string> = {}): (typeof handlers)[string] {
  return (request, response) => {
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
    const isFirst = requests.filter(({ url }) => url === request.url).length === 1;
    if (from > 0 && Object.keys(rest).length > 0)
      response
        .writeHead(206, { "content-range": `bytes ${from}-${gif.length - 1}/${gif.length}`, ...rest })
        .end(gif.subarray(from));
    else if (!isFirst) response.writeHead(200, { "content-length": gif.length, ...first }).end(gif);
    else
      response
        .writeHead(200, { "content-length": gif.length, ...first })
        .write(gif.subarray(0, half), () => void setTimeout(() => response.destroy(), 50));
  };
}

const server = createServer((request, response) => {
  if (request.method === "GET") requests.push(request);
  handlers[request.url ?? ""]?.(request, response);
});
let origin = "";
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => void requests.splice(0));

const bytesOf = async (stream: ReadableStream<Uint8Array> | undefined) =>
  Buffer.from(await new Response(stream).arrayBuffer());

describe.each([
  ["@mediagen/sdk", createPlainMediaGen],
  ["@mediagen/sdk/node", createMediaGen],
] as const)("streams of results with %s", (_, create) => {
  /** A task whose results are at these paths. */
  function taskWith(paths: readonly string[], options: MediaGenOptions = {}) {
    handlers["/v1/images/infobytaskid"] = (_request, response) =>
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url: paths.map((path) => origin + path) } }));
    const events: MediaGenEvent[] = [];
    const client = {
      baseUrl: origin,
      apiKey: "any",
      clock: { random: () => 0 },
      onEvent: (event: MediaGenEvent) => void events.push(event),
    };
    return { task: create({ ...client, ...options }).image.task("t-1"), events };
  }
  const eventsOf = (events: readonly MediaGenEvent[]) => events.flatMap(({ type }) => (type === "ended" ? [] : type));

  test("have their types, by their bytes or else by the server, their sizes and their order", async () => {
    const { task, events } = taskWith(["/1", "/short", "/chunked"]);
    const progress: ResultProgress[] = [];
    const opened = await streams(task, { onProgress: (one) => void progress.push(one) });
    expect(opened.map(({ index, type, bytes }) => ({ index, type, bytes }))).toEqual([
      { index: 0, type: "image/gif", bytes: gif.length },
      { index: 1, type: "text/plain", bytes: 5 },
      { index: 2, type: "image/gif", bytes: undefined },
    ]);
    expect(await Promise.all(opened.map(({ stream }) => bytesOf(stream)))).toEqual([gif, Buffer.from("hello"), gif]);
    expect(eventsOf(events)).toEqual([]);
    expect(progress.findLast(({ index }) => index === 0)).toEqual({
      index: 0,
      count: 3,
      bytes: gif.length,
      totalBytes: gif.length,
    });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined, undefined]);
  });

  test("can be read as a stream of Node's, piece by piece", async () => {
    const [result] = await streams(taskWith(["/1"]).task);
    // The cast: the DOM's and Node's types of the same stream class differ.
    const pieces = await Readable.fromWeb(result?.stream as Parameters<typeof Readable.fromWeb>[0]).toArray();
    expect(Buffer.concat(pieces)).toEqual(gif);
  });

  test("continue where they were cut, if the server can", async () => {
    handlers["/cut"] = cutOnce({ etag: '"1"' }, { etag: '"1"' });
    const { task, events } = taskWith(["/cut"]);
    const [result] = await streams(task);
    expect(await bytesOf(result?.stream)).toEqual(gif);
    expect(requests.map(({ headers }) => headers.range)).toEqual([undefined, `bytes=${half}-`]);
    await vi.waitFor(() => expect(eventsOf(events)).toEqual(["retried"]));
  });

  test.for<[string, Record<string, string>, Record<string, string>]>([
    ["no ETag", {}, {}],
    ["another ETag for the rest", { etag: '"1"' }, { etag: '"2"' }],
  ])("never mix two results: cut, with %s, they end in an error", async ([, first, rest]) => {
    handlers["/cut"] = cutOnce(first, rest);
    const { task, events } = taskWith(["/cut"]);
    const [result] = await streams(task);
    const error = await errorOf(bytesOf(result?.stream));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(events.at(-1)).toMatchObject({ type: "failed", operation: "download", taskid: "t-1", error });
    const [again] = await streams(task);
    expect(await bytesOf(again?.stream)).toEqual(gif);
  });

  test("may start again as long as nothing is known of them", async () => {
    handlers["/slow-start"] = (_request, response) => {
      const isFirst = requests.length === 1;
      response.writeHead(200, { "content-length": gif.length });
      response.write(
        isFirst ? gif.subarray(0, 5) : gif,
        () => void setTimeout(() => response.destroy(), isFirst ? 20 : 0),
      );
      if (!isFirst) response.end();
    };
    const [result] = await streams(taskWith(["/slow-start"]).task);
    expect(await bytesOf(result?.stream)).toEqual(gif);
  });

  test("do not stall while nobody reads, and do when the server stops", async () => {
    const { task, events } = taskWith(["/1", "/stuck"], { retries: 0 });
    const [whole, stuck] = await streams(task, { stallTimeoutMs: 500 });
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(await bytesOf(whole?.stream)).toEqual(gif);
    const error = await errorOf(bytesOf(stuck?.stream));
    expect(error).toBeInstanceOf(ConnectionError);
    await vi.waitFor(() => expect(eventsOf(events)).toEqual(["failed"]));
  });

  test("fetch little more than is read, and close their connection when they are cancelled, which is no failure", async () => {
    const { task, events } = taskWith(["/endless"]);
    const [result] = await streams(task);
    const socket = requests[0]?.socket;
    const reader = result?.stream.getReader();
    await reader?.read();
    await new Promise((resolve) => setTimeout(resolve, 300));
    // The system's buffers take some megabytes.
    expect(socket?.bytesWritten).toBeLessThan(40_000_000);
    await reader?.cancel("enough");
    await vi.waitFor(() => expect(socket?.destroyed).toBe(true), 5_000);
    expect(eventsOf(events)).toEqual([]);
  });

  test("that are not read close their connection when they are cancelled", async () => {
    const [result] = await streams(taskWith(["/endless"]).task);
    await result?.stream.cancel();
    await vi.waitFor(() => expect(requests[0]?.socket.destroyed).toBe(true), 5_000);
  });

  test.for<[string, MediaGenOptions]>([
    ["", {}],
    [", with a fetch function whose responses end by its signal alone", { fetch: nodeFetch }],
  ])("end with the signal's reason, whether they are being read or not%s", async ([, options]) => {
    const { task } = taskWith(["/endless", "/stuck"], options);
    const controller = new AbortController();
    const [unread, read] = await streams(task, { signal: controller.signal });
    const reading = errorOf(bytesOf(read?.stream));
    // By then it waits for the second half.
    if (options.fetch) await new Promise((resolve) => setTimeout(resolve, 100));
    controller.abort("enough");
    expect(await reading).toBe("enough");
    await vi.waitFor(() => expect(requests.every(({ socket }) => socket.destroyed)).toBe(true), 5_000);
    expect(await errorOf(Promise.resolve(unread?.stream.getReader().read()))).toBe("enough");
    expect(await errorOf(streams(task, { signal: controller.signal }))).toBe("enough");
  });

  test.for<[string, object]>([
    ["/gone", { name: "ServiceError", status: 404 }],
    ["/page", { name: "ConnectionError" }],
  ])("are not opened if one of them cannot be, and the others hold no connection: %s", async ([path, thrown]) => {
    const { task, events } = taskWith(["/endless", path], { retries: 0 });
    expect(await errorOf(streams(task))).toMatchObject(thrown);
    await vi.waitFor(
      () => expect(requests.every(({ socket, url }) => url !== "/endless" || socket.destroyed)).toBe(true),
      5_000,
    );
    expect(eventsOf(events)).toEqual(["failed"]);
  });

  test("obey maxBytes, and what onProgress throws", async () => {
    expect(await errorOf(streams(taskWith(["/1"]).task, { maxBytes: 1_000 }))).toBeInstanceOf(ServiceError);
    const [endless] = await streams(taskWith(["/endless"]).task, { maxBytes: 1_000_000 });
    await expect(bytesOf(endless?.stream)).rejects.toBeInstanceOf(ServiceError);
    const broken = new RangeError("mine");
    const onProgress = () => {
      throw broken;
    };
    const [thrown] = await streams(taskWith(["/1"]).task, { onProgress });
    expect(await errorOf(bytesOf(thrown?.stream))).toBe(broken);
    const [nothing] = await streams(taskWith(["/1"]).task, {
      onProgress: () => {
        throw undefined;
      },
    });
    await expect(bytesOf(nothing?.stream)).rejects.toBe(undefined);
  });

  test("hold no more than maxBytes in memory of a result whose connection closes behind it", async () => {
    let arrived = 0;
    const body = () =>
      new ReadableStream<Uint8Array>({
        pull: async (controller) => {
          await new Promise((resolve) => setImmediate(resolve));
          arrived += 65_536;
          controller.enqueue(new Uint8Array(65_536).fill(1));
        },
      });
    const { media } = clientOf([
      ({ url }) =>
        url.endsWith("infobytaskid") ? success({ taskid: "t-1", url: ["http://localhost/1"] }) : new Response(body()),
    ]);
    const [result] = await streams(media.image.task("t-1"), { maxBytes: 1_000_000 });
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(arrived).toBeLessThan(1_300_000);
    await expect(bytesOf(result?.stream)).rejects.toBeInstanceOf(ServiceError);
  });

  test("are rejected if there is no result yet, or an option does not exist", async () => {
    expect(await errorOf(streams(taskWith([]).task))).toBeInstanceOf(InvalidRequestError);
    await expect(streams(taskWith(["/1"]).task, { maxByte: 1 } as object)).rejects.toMatchObject({
      issues: [{ field: "maxByte", code: "unknown" }],
    });
  });
});
