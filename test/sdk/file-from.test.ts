import { execFileSync } from "node:child_process";
import dns from "node:dns";
import { openAsBlob } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import {
  type FetchInit,
  fileFrom as plainFileFrom,
  type FileSource,
  InvalidRequestError,
} from "@mediagen/sdk";
import { fileFrom } from "@mediagen/sdk/node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { shown } from "../shown.ts";
import { errorOf } from "./fake-service.ts";
import { addresses, leadNamesHere } from "./names-here.ts";
import { startProxy } from "./proxy-server.ts";
import { type Handler, ownDirectory, serveResults } from "./result-server.ts";

leadNamesHere();
const directory = ownDirectory();
const path = (name: string) => join(directory.path, name);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  addresses.clear();
});
const gif = Buffer.from("GIF89a and the rest");
const bytes = Uint8Array.from(gif);
const dataUri = `data:image/gif;base64,${gif.toString("base64")}`;
const entryPoints = [
  ["@mediagen/sdk", plainFileFrom],
  ["@mediagen/sdk/node", fileFrom],
] as const;
const invalid = { name: "InvalidRequestError", issues: [{ code: "invalid" }] };

describe("fileFrom of @mediagen/sdk/node", () => {
  const heads = {
    "image/png": "\x89PNG\r\n\x1a\n",
    "image/jpeg": "\xff\xd8\xff\xe0",
    "image/webp": "RIFF\x01\x01\x01\x01WEBP",
    "image/gif": "GIF89a",
    "image/bmp": "BM\x01\0\0\0\0\0\0\0",
    "image/tiff": "II*\0",
    "image/avif": "\0\0\0\x1cftypavif",
    "image/heic": "\0\0\0\x1cftypheic",
  };
  test.for(Object.entries(heads))("recognizes %s by the first bytes", async ([type, head]) => {
    await writeFile(path("source.dat"), head, "latin1");
    expect(await fileFrom(path("source.dat"))).toMatchObject({
      name: "source.dat",
      type,
      size: head.length,
    });
  });

  test("takes a path as text and as a file: URL, and does not read it into memory", async () => {
    await writeFile(path("a fox.gif"), gif);
    const url = pathToFileURL(path("a fox.gif"));
    for (const source of [path("a fox.gif"), url, url.href])
      expect(await fileFrom(source)).toMatchObject({
        name: "a fox.gif",
        type: "image/gif",
        size: gif.length,
      });
    // Whoever reads a file that has changed reads it from the disk.
    const file = await fileFrom(url);
    await writeFile(path("a fox.gif"), `${gif.toString()}, and more`);
    await expect(file.arrayBuffer()).rejects.toThrow();
  });
});

test("a pipe is not opened, because that would wait for its writer", async () => {
  execFileSync("mkfifo", [path("fox.png")]);
  await expect(fileFrom(path("fox.png"))).rejects.toThrow("it is a pipe or a device, not a file");
});

describe.each(entryPoints)("fileFrom of %s", (_, from) => {
  test.for<[string, () => FileSource | Promise<FileSource>, name?: string]>([
    ["a Buffer", () => gif],
    ["a part of a buffer", () => Buffer.concat([Buffer.from("no"), gif]).subarray(2)],
    ["an ArrayBuffer", () => bytes.buffer],
    ["a DataView", () => new DataView(bytes.buffer)],
    ["a Blob", () => new Blob([gif], { type: "text/plain" })],
    ["a File", () => new File([gif], "fox.gif"), "fox.gif"],
    [
      "a Blob on disk",
      async () => {
        await writeFile(path("a"), gif);
        return openAsBlob(path("a"));
      },
    ],
    ["a data URI", () => dataUri],
    ["a data URI in capitals", () => dataUri.replace("data:image/gif;base64", "DATA:;BASE64")],
    ["a data URI as a URL", () => new URL(dataUri)],
    ["a data URI whose Base64 is escaped", () => dataUri.replaceAll("=", "%3D")],
    ["a data URI without Base64", () => `data:image/gif,${encodeURIComponent(gif.toString())}`],
    ["a Response", () => new Response(gif)],
    [
      "a Response of another library",
      () => ({
        status: 200,
        redirected: false,
        headers: new Headers(),
        body: Readable.from([gif]),
      }),
    ],
    ["a web stream", () => new Blob([gif]).stream()],
    ["a stream of Node's", () => Readable.from([gif])],
  ])("takes %s", async ([, source, name = "file.gif"]) => {
    const file = await from(await source());
    expect(file).toMatchObject({ name, type: "image/gif", size: gif.length });
    expect(Buffer.from(await file.arrayBuffer())).toEqual(gif);
    expect(await from(await source(), { name: "own.gif" })).toMatchObject({ name: "own.gif" });
  });

  test("reads no more of a stream or a response than it may have, 64 MiB by default", async () => {
    const mostOf = async (wrap: (body: ReadableStream) => FileSource, options: object) => {
      let read = 0;
      let isCancelled = false;
      const pull = (controller: ReadableStreamDefaultController) => {
        const piece = read === 0 ? gif : new Uint8Array(65_536);
        read += piece.length;
        controller.enqueue(piece);
      };
      const endless = new ReadableStream({ pull, cancel: () => void (isCancelled = true) });
      expect(await errorOf(from(wrap(endless), options))).toMatchObject(invalid);
      expect(isCancelled).toBe(true);
      return read;
    };
    for (const wrap of [
      (body: ReadableStream) => body,
      (body: ReadableStream) => new Response(body),
    ])
      expect(await mostOf(wrap, { maxBytes: 100_000 })).toBeLessThan(200_000);
    const most = await mostOf((body) => body, {});
    expect([most > 64_000_000, most < 68_000_000]).toEqual([true, true]);
  });

  test("limits what is in memory only if that is requested", async () => {
    for (const source of [gif, new Blob([gif]), dataUri, new Response(gif)])
      expect(await errorOf(from(source, { maxBytes: 10 }))).toMatchObject(invalid);
    expect(await from(new Blob([gif, new Uint8Array(70 * 1024 * 1024)]))).toMatchObject({
      type: "image/gif",
    });
    expect(await errorOf(from(`${dataUri}${"A".repeat(100_000_000)}`))).toMatchObject(invalid);
  });

  test("ends with the signal's reason, and after a minute", async () => {
    const stuck = () =>
      new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
    expect(await errorOf(from(gif, { signal: AbortSignal.abort("enough") }))).toBe("enough");
    const controller = new AbortController();
    const reading = errorOf(from(stuck(), { signal: controller.signal }));
    controller.abort("enough");
    expect(await reading).toBe("enough");
    vi.useFakeTimers();
    const late = errorOf(from(stuck()));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await late).toHaveProperty("name", "ConnectionError");
  });
});

const redirect =
  (location: string): Handler =>
  (_, response) =>
    response.writeHead(302, { location }).end();
const { requests, origin } = serveResults({
  "/fox.gif": (_, response) => response.setHeader("content-type", "text/plain").end(gif),
  "/page": (_, response) =>
    response.setHeader("content-type", "text/html; charset=utf-8").end("<html>Sign in"),
  "/gone": (_, response) => response.writeHead(404).end("not here"),
  "/once": redirect("/fox.gif?token=hush"),
  "/round": redirect("/round?token=hush"),
  "/odd": redirect("file:///etc/passwd?token=hush"),
  "/cut": (_, response) =>
    response
      .setHeader("content-length", 100)
      .write(gif, () => setTimeout(() => response.destroy(), 20)),
  "/stuck": (_, response) => response.write(gif),
  "/silent": () => undefined,
  "/large": (_, response) => response.setHeader("content-length", 10 ** 9).write(gif),
  "/endless": (_, response) => {
    const write = () =>
      void (!response.destroyed && response.write(Buffer.alloc(65_536), () => setImmediate(write)));
    response.write(gif, write);
  },
});
const allowPrivateHosts = true;
const message = expect.stringMatching(/ leads | redirects | is not an absolute URL/) as string;
const notAllowed = { name: "InvalidRequestError", issues: [{ code: "invalid", message }] };

describe.each(entryPoints)("a URL passed to fileFrom of %s", (_, from) => {
  test("is requested without a key, and its image is typed by its bytes and named by the URL", async () => {
    for (const url of [
      `${origin()}/fox.gif?size=2`,
      new URL(`${origin()}/fox.gif`),
      `${origin()}/once`,
    ]) {
      const name = String(url).endsWith("/once") ? "file.gif" : "fox.gif";
      expect(await from(url, { allowPrivateHosts })).toMatchObject({
        name,
        type: "image/gif",
        size: gif.length,
      });
    }
    for (const { headers } of requests) {
      expect(headers).toMatchObject({
        "user-agent": expect.stringMatching(/^mediagen\//),
        "accept-encoding": "identity",
      });
      expect(headers).not.toHaveProperty("authorization");
    }
  });

  test.for<[string, number]>([
    ["http://10.1.2.3/1", 0],
    ["http://localhost/1", 0],
    ["ftp://images.example.com/a.png", 0],
    ["https://:80:80/", 0],
    ["https://user:password@images.example.com/a", 0],
    ["http://images.example.com/to?http://10.1.2.3/1", 1],
    ["https://images.example.com/to?http://images.example.com/fox.gif", 1],
    ["https://images.example.com/to?ftp://x.test/a", 1],
    ["https://images.example.com/to?https://[", 1],
    ["https://images.example.com/round", 4],
  ])(
    "is rejected if it is, or redirects to, one that is not public or not allowed: %s",
    async ([url, count]) => {
      const requested: string[] = [];
      const fetch = async (one: string) => {
        requested.push(one);
        const { pathname, search } = new URL(one);
        if (pathname === "/to")
          return new Response(null, { status: 302, headers: { location: search.slice(1) } });
        return globalThis.fetch(`${origin()}${pathname}`, { redirect: "manual" });
      };
      expect(await errorOf(from(url, { fetch }))).toMatchObject(notAllowed);
      expect(requested).toHaveLength(count);
      // Also by the entry point's own way to request it.
      if (count === 0) expect(await errorOf(from(url))).toMatchObject(notAllowed);
    },
  );

  test.for<[string, object]>([
    ["/gone?token=hush", { name: "ServiceError", status: 404, operation: "fileFrom" }],
    ["/page?token=hush", { name: "InvalidRequestError", issues: [{ code: "invalid" }] }],
    ["/cut?token=hush", { name: "ConnectionError" }],
    ["/round?token=hush", notAllowed],
    ["/odd?token=hush", notAllowed],
    ["http://127.0.0.1:1/a.png?token=hush", { name: "ConnectionError" }],
    ["https://user:hush@x.test/a?token=hush#hush", notAllowed],
    ["https://:80:80/?token=hush", notAllowed],
  ])(
    "that gives no image is shown without its password, query and fragment: %s",
    async ([url, expected]) => {
      const error = await errorOf(
        from(url.startsWith("/") ? origin() + url : url, { allowPrivateHosts }),
      );
      expect(error).toMatchObject(expected);
      expect(shown(error)).not.toContain("hush");
    },
  );

  test("is not shown either by the error of a fetch function", async () => {
    const cause = new Error("GET https://user:hush@x.test/b?token=hush: reset");
    const fetch = (_: string, __: FetchInit) =>
      Promise.reject(new TypeError("fetch failed", { cause }));
    expect(shown(await errorOf(from("https://x.test/a?token=hush", { fetch })))).not.toContain(
      "hush",
    );
  });

  test("is cut off as soon as it is larger than it may be, or says so", async () => {
    for (const path of ["/endless", "/large"]) {
      const reading = from(origin() + path, { allowPrivateHosts, maxBytes: 100_000 });
      expect(await errorOf(reading)).toBeInstanceOf(InvalidRequestError);
      await vi.waitFor(() => expect(requests.at(-1)?.socket.destroyed).toBe(true), 5_000);
    }
  });

  test("ends with the signal's reason, and with its connection", async () => {
    for (const path of ["/stuck", "/silent"]) {
      const controller = new AbortController();
      const reading = errorOf(
        from(origin() + path, { allowPrivateHosts, signal: controller.signal }),
      );
      await vi.waitFor(() => expect(requests.at(-1)?.url).toBe(path), 5_000);
      controller.abort("enough");
      expect(await reading).toBe("enough");
      await vi.waitFor(() => expect(requests.at(-1)?.socket.destroyed).toBe(true), 5_000);
    }
  });
});

test("a name that leads into a private network is rejected when Node looks it up for the connection", async () => {
  addresses.set("images.example.com", ["93.184.216.34", "10.0.0.1"]);
  const lookup = vi.spyOn(dns, "lookup");
  expect(await errorOf(fileFrom("http://images.example.com/1"))).toMatchObject(notAllowed);
  expect(lookup).toHaveBeenCalledTimes(1);
});

test.for<[string, readonly string[], string, number]>([
  [
    "resolves to a private address is rejected",
    ["10.0.0.1"],
    "into a private network. Use a public URL",
    0,
  ],
  ["cannot resolve is requested by the proxy", [], "HTTP status 403", 1],
  [
    "resolves to a public address is requested by the proxy",
    ["93.184.216.34"],
    "HTTP status 403",
    1,
  ],
])(
  "behind a proxy of the environment, a name that this machine %s",
  async ([, found, says, connects]) => {
    await using proxy = await startProxy({
      onConnect: (socket) => void socket.end("HTTP/1.1 403 No\r\n\r\n"),
    });
    vi.stubEnv("HTTP_PROXY", proxy.url);
    addresses.set("images.example.com", found);
    await expect(fileFrom("http://images.example.com/1")).rejects.toThrow(says);
    expect(proxy.targets).toHaveLength(connects);
  },
);
