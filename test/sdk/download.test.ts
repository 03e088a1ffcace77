import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import dns from "node:dns";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createEmulator } from "@mediagen/emulator";
import {
  blobs,
  ConnectionError,
  createMediaGen,
  download,
  InvalidRequestError,
  ServiceError,
  type FetchInit,
  type MediaGenOptions,
  type Task,
} from "@mediagen/sdk/node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { privateUrls } from "./private-hosts.ts";

let folder = "";
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "mediagen-"))));
afterEach(() => rm(folder, { recursive: true }));

const png = Buffer.from("\x89PNG\r\n\x1a\n and the rest of a picture, which is long enough to be cut", "latin1");
const requests: IncomingMessage[] = [];
const handlers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  "/1": (_, response) => response.setHeader("content-type", "application/octet-stream").end(png),
  "/text": (_, response) => response.setHeader("content-type", "text/plain; charset=utf-8").end("hello"),
  "/gone": (_, response) => response.writeHead(404).end("not here"),
  "/down": (_, response) => response.writeHead(503).end(),
  "/stuck": (_, response) => void response.setHeader("content-length", 100).write("half of the result"),
  "/long": (_, response) => void response.setHeader("content-length", 5_000).end("x".repeat(5_000)),
  "/once": (_, response) => response.writeHead(302, { location: "/1" }).end(),
  "/round": (_, response) => response.writeHead(302, { location: "/round" }).end(),
  "/inside": (_, response) => response.writeHead(302, { location: "http://10.0.0.1/secret" }).end(),
  "/odd": (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
  // Breaks off each answer after twenty bytes, and goes on where it is asked to.
  "/ranges": (request, response) => {
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, {
      etag: '"1"',
      "content-length": png.length - from,
      ...(from > 0 ? { "content-range": `bytes ${from}-${png.length - 1}/${png.length}` } : {}),
    });
    response.write(
      png.subarray(from, from + 20),
      () => void (from + 20 < png.length ? response.destroy() : response.end()),
    );
  },
  // Breaks off the first answer and knows no ranges.
  "/anew": (_, response) => {
    const first = requests.filter(({ url }) => url === "/anew").length === 1;
    response.writeHead(200, { "content-length": png.length });
    response.write(first ? png.subarray(0, 20) : png, () => void (first ? response.destroy() : response.end()));
  },
};

/**
 * Breaks off the first response to a request without a range after twenty bytes. A range is responded to with the rest, unless
 * its headers say otherwise; an empty header is left out.
 */
function cutOnce(first: Record<string, string>, rest: Record<string, string>): (typeof handlers)[string] {
  let cut = false;
  return (request, response) => {
    const headers = { etag: '"1"', "content-length": String(png.length), ...first };
    const sent = (given: Record<string, string>) =>
      Object.fromEntries(Object.entries(given).filter(([name, value]) => value !== "" && !name.startsWith(":")));
    if (request.headers.range !== undefined) {
      const range = { etag: '"1"', "content-range": `bytes 20-${png.length - 1}/${png.length}`, ...rest };
      // Other bytes than the rest's, so that a file that was put together of both is noticed.
      response.writeHead(Number(rest[":status"] ?? 206), sent(range)).end("?".repeat(png.length - 20));
    } else if (cut) response.writeHead(200, sent(headers)).end(png);
    else {
      cut = true;
      response.writeHead(200, sent(headers)).write(png.subarray(0, 20), () => void response.destroy());
    }
  };
}

const server = createServer((request, response) => {
  requests.push(request);
  handlers[request.url ?? ""]?.(request, response);
});
let origin = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => void requests.splice(0));

/** A task whose results are these, of a service at this base URL. */
function taskWith(addresses: readonly string[], options: MediaGenOptions = {}): Task {
  const record = {
    taskid: "../t:1",
    url: addresses.map((address) => (address.startsWith("/") ? origin + address : address)),
  };
  const media = createMediaGen({
    baseUrl: "http://localhost",
    apiKey: "secret-key",
    clock: { random: () => 0 },
    fetch: (url, init) =>
      url.endsWith("infobytaskid")
        ? Promise.resolve(Response.json({ code: 1000, msg: "", data: record }))
        : fetch(url, init),
    ...options,
  });
  return media.image.task(record.taskid);
}

describe("download", () => {
  test("brings every result to disk, named by task and number, typed by its bytes, with its digest", async () => {
    const progress: unknown[] = [];
    const files = await download(taskWith(["/1", "/text"]), join(folder, "out"), {
      onProgress: (one) => void progress.push(one),
    });
    expect(files).toEqual([
      {
        path: join(folder, "out", "___t_1-1.png"),
        bytes: png.length,
        type: "image/png",
        sha256: createHash("sha256").update(png).digest("hex"),
      },
      {
        path: join(folder, "out", "___t_1-2.bin"),
        bytes: 5,
        type: "text/plain",
        sha256: createHash("sha256").update("hello").digest("hex"),
      },
    ]);
    expect(await readFile(files[0]?.path ?? "")).toEqual(png);
    expect(progress).toEqual([
      { index: 0, count: 2, bytes: png.length, totalBytes: png.length },
      { index: 1, count: 2, bytes: 5, totalBytes: 5 },
    ]);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  test("takes the path of a file, and numbers it where there are several", async () => {
    expect((await download(taskWith(["/1"]), join(folder, "fox.png")))[0]?.path).toBe(join(folder, "fox.png"));
    expect((await download(taskWith(["/1", "/1"]), join(folder, "cub.png"))).map(({ path }) => path)).toEqual([
      join(folder, "cub-1.png"),
      join(folder, "cub-2.png"),
    ]);
  });

  test("overwrites only if the caller says so", async () => {
    const path = join(folder, "fox.png");
    await writeFile(path, "mine");
    const error = (await download(taskWith(["/1"]), path).catch((thrown: unknown) => thrown)) as InvalidRequestError;
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error.issues[0]).toMatchObject({ field: "target", code: "alreadyExists" });
    expect(await readFile(path, "utf8")).toBe("mine");
    await download(taskWith(["/1"]), path, { overwrite: true });
    expect(await readFile(path)).toEqual(png);
    expect(await readdir(folder)).toEqual(["fox.png"]);
  });

  test("goes on where it broke off, if the server can", async () => {
    const [file] = await download(taskWith(["/ranges"]), folder);
    expect(await readFile(file?.path ?? "")).toEqual(png);
    expect(requests.map(({ headers }) => [headers.range, headers["if-range"]])).toEqual([
      [undefined, undefined],
      ["bytes=20-", '"1"'],
      ["bytes=40-", '"1"'],
      ["bytes=60-", '"1"'],
    ]);
  });

  test("and begins anew if it cannot", async () => {
    const [file] = await download(taskWith(["/anew"]), folder);
    expect(await readFile(file?.path ?? "")).toEqual(png);
    expect(file?.sha256).toBe(createHash("sha256").update(png).digest("hex"));
  });

  test.for<[string, Record<string, string>, Record<string, string>]>([
    ["no ETag", { etag: "" }, { etag: "" }],
    ["a weak ETag", { etag: 'W/"1"' }, { etag: 'W/"1"' }],
    ["no length", { "content-length": "" }, {}],
  ])("requests no rest of a result with %s", async ([, first]) => {
    handlers["/weak"] = cutOnce(first, {});
    const [file] = await download(taskWith(["/weak"]), folder);
    expect(await readFile(file?.path ?? "")).toEqual(png);
    expect(requests.map(({ headers }) => headers.range)).toEqual([undefined, undefined]);
  });

  test.for<[string, Record<string, string>]>([
    ["a rest without an ETag", { etag: "" }],
    ["the rest of a result with another ETag", { etag: '"2"' }],
    ["the rest of a result with the same ETag, made weak", { etag: 'W/"1"' }],
    ["the rest of a longer result", { "content-range": `bytes 20-${png.length - 1}/9000` }],
    ["the rest of a result of unknown length", { "content-range": `bytes 20-${png.length - 1}/*` }],
    ["another part", { "content-range": `bytes 0-${png.length - 1}/${png.length}` }],
    ["a compressed rest", { "content-encoding": "x-own" }],
    ["that it has no such range", { ":status": "416" }],
  ])("starts again from the first byte if the server returns %s", async ([, rest]) => {
    handlers["/changed"] = cutOnce({}, rest);
    const [file] = await download(taskWith(["/changed"], { retries: 1 }), folder);
    expect(await readFile(file?.path ?? "")).toEqual(png);
    expect(file?.sha256).toBe(createHash("sha256").update(png).digest("hex"));
    expect(requests.map(({ headers }) => [headers.range, headers["if-range"]])).toEqual([
      [undefined, undefined],
      ["bytes=20-", '"1"'],
      [undefined, undefined],
    ]);
  });

  test.for([1, 10, 15])("starts again if it is cut after %i bytes, which do not show its type", async (length) => {
    handlers["/head"] = ({ headers }, response) => {
      const etag = { etag: '"1"', "content-length": png.length };
      if (headers.range)
        response.writeHead(206, { "content-range": `bytes ${length}-${png.length - 1}/${png.length}` });
      else response.writeHead(200, etag);
      if (requests.length > 1) response.end(headers.range ? png.subarray(length) : png);
      else response.write(png.subarray(0, length), () => void response.destroy());
    };
    const [file] = await download(taskWith(["/head"], { retries: 1 }), folder);
    expect(await readFile(file?.path ?? "")).toEqual(png);
    expect(requests.map(({ headers }) => headers.range)).toEqual([undefined, undefined]);
  });

  test("is retried as often as the client says", async () => {
    for (const path of ["/down", "/cut"]) {
      handlers["/cut"] = (_, response) =>
        response.writeHead(200, { "content-length": 100 }).write("half", () => void response.destroy());
      requests.splice(0);
      await expect(download(taskWith([path], { retries: 2 }), folder)).rejects.toBeInstanceOf(Error);
      expect(requests).toHaveLength(3);
    }
  });

  test("takes no part that it has not requested", async () => {
    handlers["/part"] = (_, response) =>
      response.writeHead(206, { "content-range": `bytes 0-3/${png.length}` }).end(png.subarray(0, 4));
    await expect(download(taskWith(["/part"]), folder)).rejects.toMatchObject({ name: "ServiceError", status: 206 });
    expect(await readdir(folder)).toEqual([]);
  });

  test.for([
    ["empty", 20],
    ["short", 30],
  ] as const)("does not take a rest that is %s for all of it", async ([, until]) => {
    handlers["/short-rest"] = (request, response) => {
      const isRest = request.headers.range === "bytes=20-";
      const part = isRest ? png.subarray(20, until) : png.subarray(0, 20);
      if (isRest)
        response
          .writeHead(206, {
            etag: '"1"',
            "content-length": part.length,
            "content-range": `bytes 20-${until - 1}/${png.length}`,
          })
          .end(part);
      else
        response
          .writeHead(200, { etag: '"1"', "content-length": png.length })
          .write(part, () => void response.destroy());
    };
    const task = taskWith(["/short-rest"], { retries: 1 });
    await expect(download(task, folder)).rejects.toBeInstanceOf(ConnectionError);
    expect(await readdir(folder)).toEqual([]);
  });

  test("takes no answer for whole that is shorter than it says", async () => {
    const fetch = async (url: string) =>
      url.endsWith("infobytaskid")
        ? Response.json({ code: 1000, msg: "", data: { taskid: "t-1", url: [`${origin}/short`] } })
        : new Response("half", { headers: { "content-length": "8" } });
    await expect(download(taskWith([], { fetch }), folder)).rejects.toBeInstanceOf(ConnectionError);
  });

  test("follows few redirects, each looked at first", async () => {
    expect(await download(taskWith(["/once"]), folder)).toHaveLength(1);
    for (const path of ["/round", "/odd"])
      await expect(download(taskWith([path]), folder)).rejects.toBeInstanceOf(ServiceError);
    expect(requests.map(({ url }) => url)).toEqual(["/once", "/1", "/round", "/round", "/round", "/round", "/odd"]);
  });

  test.for<[string, string, object]>([
    ["gone", "/gone", { name: "ServiceError", status: 404 }],
    ["down", "/down", { name: "ServiceError", status: 503 }],
    ["stuck", "/stuck", { name: "ConnectionError" }],
    ["too long", "/long", { name: "ServiceError" }],
    ["no URL", "nowhere", { name: "ServiceError" }],
  ])("keeps what is complete, and nothing else, when a result is %s", async ([, path, thrown]) => {
    const sleep = (ms: number, signal: AbortSignal) => (ms === 0 ? Promise.resolve() : realSleep(ms, signal));
    const error: unknown = await download(taskWith(["/1", path], { clock: { random: () => 0, sleep } }), folder, {
      // On a busy machine, the others take longer than this one may.
      stallTimeoutMs: path === "/stuck" ? 100 : undefined,
      maxBytes: 1_000,
    }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject(thrown);
    expect(await readdir(folder)).toEqual(["___t_1-1.png"]);
  });

  test("ends with the signal's reason, with what its listener throws, and where there is no result", async () => {
    await expect(download(taskWith(["/1"]), folder, { signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
    const controller = new AbortController();
    const broken = new RangeError("mine");
    const throws = () => {
      throw broken;
    };
    await expect(download(taskWith(["/1"]), folder, { onProgress: throws })).rejects.toBe(broken);
    const onProgress = () => controller.abort("enough");
    await expect(download(taskWith(["/stuck"]), folder, { signal: controller.signal, onProgress })).rejects.toBe(
      "enough",
    );
    await expect(download(taskWith([]), folder)).rejects.toBeInstanceOf(InvalidRequestError);
    expect(await readdir(folder)).toEqual([]);
  });

  test("can be aborted in a pause before another try", async () => {
    const pausing = () => taskWith(["/down"], { clock: { random: () => 1 } });
    const controller = new AbortController();
    setTimeout(() => controller.abort("enough"), 30);
    await expect(download(pausing(), folder, { signal: controller.signal })).rejects.toBe("enough");
    expect(await readdir(folder)).toEqual([]);
  });

  test("a disk that is full is told as it is, and nothing is asked for again", async () => {
    const file = await open(join(folder, "file"), "w");
    const full = vi
      .spyOn(Object.getPrototypeOf(file) as typeof file, "write")
      .mockRejectedValue(Object.assign(new Error("no space left"), { code: "ENOSPC" }));
    try {
      await expect(download(taskWith(["/1"]), join(folder, "out"))).rejects.toMatchObject({ code: "ENOSPC" });
      expect([requests.length, await readdir(join(folder, "out"))]).toEqual([1, []]);
    } finally {
      full.mockRestore();
      await file.close();
    }
  });

  test("a disk that cannot be written to is told as it is", async () => {
    await writeFile(join(folder, "file"), "");
    await expect(download(taskWith(["/1"]), join(folder, "file", "below"))).rejects.toMatchObject({ code: "ENOTDIR" });
  });
});

describe("results in a private network", () => {
  /** A task of a service elsewhere; what it fetches comes from the server here, by path. */
  const remoteTask = (address: string) =>
    taskWith([address], {
      baseUrl: "https://media.example.com",
      fetch: async (url) => {
        const { pathname } = new URL(url);
        if (pathname.endsWith("infobytaskid"))
          return Response.json({ code: 1000, msg: "", data: { taskid: "t-1", url: [address] } });
        return fetch(origin + pathname, { redirect: "manual" });
      },
    });

  test.for(privateUrls)("are refused where the base URL is not in one: %s", async (address) => {
    await expect(blobs(remoteTask(address))).rejects.toBeInstanceOf(ServiceError);
    expect(requests).toEqual([]);
  });

  test("are refused behind a redirect too", async () => {
    await expect(blobs(remoteTask("http://results.example.com/inside"))).rejects.toBeInstanceOf(ServiceError);
    expect(requests.map(({ url }) => url)).toEqual(["/inside"]);
  });

  test("and so is a redirect from https to http", async () => {
    handlers["/plainly"] = (_, response) => response.writeHead(302, { location: "http://results.example.com/1" }).end();
    await expect(blobs(remoteTask("https://results.example.com/plainly"))).rejects.toBeInstanceOf(ServiceError);
    expect(requests.map(({ url }) => url)).toEqual(["/plainly"]);
  });

  test("are taken where the caller says so", async () => {
    const [blob] = await blobs(remoteTask(`${origin}/1`), { allowPrivateHosts: true });
    expect(blob?.type).toBe("image/png");
  });
});

describe("on the Node entry point, where no fetch is given", () => {
  // The service is the server here, by a public name and by a private one; its record names these addresses.
  const media = (addresses: readonly string[], options: MediaGenOptions = {}) => {
    handlers["/v1/images/infobytaskid"] = (_, response) =>
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url: addresses } }));
    const media = createMediaGen({ baseUrl: origin, apiKey: "secret-key", clock: { random: () => 0 }, ...options });
    return media.image.task("t-1");
  };

  test("results come whole, resume, and carry no key", async () => {
    const files = await download(media([`${origin}/1`, `${origin}/ranges`]), folder);
    expect(files.map(({ type, bytes }) => [type, bytes])).toEqual([
      ["image/png", png.length],
      ["image/png", png.length],
    ]);
    expect(requests.slice(1).map(({ headers }) => headers.authorization)).toEqual(Array(5).fill(undefined));
  });

  test("a name that leads into a private network is refused when it is looked up, and not tried again", async () => {
    const lookup = vi.spyOn(dns, "lookup").mockImplementation(((
      _: string,
      __: object,
      callback: (error: null, addresses: object[]) => void,
    ) =>
      callback(null, [
        { address: "93.184.216.34", family: 4 },
        { address: "10.0.0.1", family: 4 },
      ])) as unknown as typeof dns.lookup);
    try {
      const task = media(["http://results.example.com/1"], { allowHttp: true });
      await expect(blobs(task, { allowPrivateHosts: false })).rejects.toBeInstanceOf(ServiceError);
      expect(requests.map(({ url }) => url)).not.toContain("/1");
      expect(lookup).toHaveBeenCalledTimes(1);
    } finally {
      lookup.mockRestore();
    }
  });
});

describe("against the emulator", () => {
  test("an address that has expired is renewed once, a cut one goes on, and blobs are typed", async () => {
    const emulator = createEmulator({ clock: "manual" });
    const { now } = emulator.client.clock;
    const media = createMediaGen({ ...emulator.client, clock: { now, random: () => 0, sleep: realSleep } });
    const task = await media.image.generate("imgmodelv4", { prompt: "A fox", batchsize: 2 });
    emulator.clock.advance("1m");
    await task.check();
    emulator.clock.advance("3d");
    emulator.next({ fault: "downloadCut" });
    const files = await download(task, folder);
    expect(files.map(({ type }) => type)).toEqual(["image/png", "image/png"]);
    expect((await blobs(task)).map(({ size, type }) => [size, type])).toEqual(
      files.map(({ bytes, type }) => [bytes, type]),
    );
    expect(emulator.calls.filter(({ status }) => status === 403).length).toBeGreaterThan(0);
  });
});

function realSleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}

test("a limit on bytes holds also where a server's length is no number", async () => {
  const fetch = async (_: string, { method }: FetchInit) => {
    const record = { code: 1000, msg: "", data: { taskid: "t-1", url: ["http://localhost/1"] } };
    return method === "POST"
      ? Response.json(record)
      : new Response(new Uint8Array(1_001), { headers: { "content-length": "many" } });
  };
  const { video } = createMediaGen({ baseUrl: "http://localhost", fetch });
  await expect(blobs(video.task("t-1"), { maxBytes: 1_000 })).rejects.toBeInstanceOf(ServiceError);
});

test("a program that generates and downloads never loads the fetch of Node, which takes longer than a small result", async () => {
  const script = `
    import { createMediaGen, download } from "@mediagen/sdk/node";
    import { createEmulator, listen } from "@mediagen/emulator/node";
    const emulator = createEmulator({ clock: { speed: 1_000 } });
    const { baseUrl, close } = await listen(emulator);
    const media = createMediaGen({ baseUrl, apiKey: emulator.client.apiKey });
    const files = await download(await media.image.generate("imgmodelz", { prompt: "A fox" }), process.argv[1]);
    await close();
    const loaded = () => process.moduleLoadList.filter((name) => name.includes("undici")).length;
    const [before] = [loaded(), new Response()];
    console.log(files.length, before, loaded() > 0);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, folder]);
  expect(stdout).toBe("1 0 true\n");
});
