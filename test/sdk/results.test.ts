import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { inspect } from "node:util";
import { blobs, ConnectionError, type FetchInit, type MediaGenEvent, ServiceError, type TaskJSON } from "@mediagen/sdk";
import { download } from "@mediagen/sdk/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { clientOf, errorOf, origin, success } from "./fake-service.ts";

let folder = "";
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "mediagen-"))));
afterEach(() => rm(folder, { recursive: true }));

/** A client of a service whose record names these URLs, and of the servers of these results. */
function clientWith(
  urls: readonly string[],
  serve: (url: string) => Response | Promise<Response>,
  apiKey = "sk-canary",
) {
  const requested: string[] = [];
  const fetch = async (url: string, { method }: FetchInit) => {
    if (method === "POST") return success({ taskid: "t-1", url: urls });
    requested.push(url);
    return serve(url);
  };
  return { ...clientOf([], { fetch, apiKey }), requested };
}

const bytes = (type?: string) => new Response("no known bytes", { headers: type ? { "content-type": type } : {} });

describe("the extension of a file whose bytes are of no known type", () => {
  test.for([
    ["a.php", undefined, "bin"],
    ["a.html", "text/html", "bin"],
    ["a.sh", undefined, "bin"],
    ["a.exe", "application/octet-stream", "bin"],
    ["a.svg", "image/svg+xml", "bin"],
    ["a.mp4.php", undefined, "bin"],
    ["a", undefined, "bin"],
    ["a.MP4", undefined, "mp4"],
    ["a.php", "image/png", "png"],
    ["a", "video/mp4; codecs=avc1", "mp4"],
    ["a.php?x=.png", undefined, "bin"],
  ])("of %s with Content-Type %s is %s", async ([path, type, extension]) => {
    const { media } = clientWith([`${origin}/${path}`], () => bytes(type));
    const [file] = await download(media.image.task("t-1"), folder);
    expect(basename(file?.path ?? "")).toBe(`t-1-1.${extension}`);
  });
});

describe("as many results are fetched", () => {
  const urls = ["a", "b", "c"].map((name) => `${origin}/${name}`);
  const task = (more: Partial<TaskJSON>) => {
    const { media, requested } = clientWith(urls, () => bytes());
    return {
      task: media.task({ version: 2, kind: "image", taskid: "t-1", origin, resultCount: 2, ...more }),
      requested,
    };
  };

  test("as the form requested, if the record has more", async () => {
    const { task: generated, requested } = task({ model: "imgmodelv4" });
    expect(await blobs(generated)).toHaveLength(2);
    expect(requested).toEqual(urls.slice(0, 2));
    expect(generated.record?.url).toEqual(urls);
  });

  test("as the record has, if the task was made from its id alone and does not know its form", async () => {
    expect(await blobs(task({}).task)).toHaveLength(3);
  });
});

test("a result in memory may have 256 MiB, unless the caller says otherwise", async () => {
  let bytes = 2 ** 28;
  const large = () => new Response("x", { headers: { "content-length": String(bytes) } });
  const { media } = clientWith([`${origin}/a`], large);
  await expect(blobs(media.image.task("t-1"))).rejects.toBeInstanceOf(ConnectionError); // It is shorter.
  bytes++;
  await expect(blobs(media.image.task("t-1"))).rejects.toBeInstanceOf(ServiceError);
  await expect(blobs(media.image.task("t-1"), { maxBytes: 2 ** 30 })).rejects.toBeInstanceOf(ConnectionError);
});

describe("an API key in the URL of a result", () => {
  const key = "sk-canary/+1";
  const encoded = encodeURIComponent(key);
  const shown = (error: unknown, events: readonly MediaGenEvent[]) =>
    [
      String(error),
      (error as Error).stack,
      inspect(error, { depth: 9 }),
      JSON.stringify(error),
      inspect(events, { depth: 9 }),
    ].join("\n");
  const redirect = (location: string) => () => new Response(null, { status: 302, headers: { location } });

  test.for<[string, string, () => Response | Promise<Response>]>([
    ["leads into a private network", `http://10.0.0.1/a?key=${key}`, () => bytes()],
    ["leads there by a redirect", `https://x.test/a?key=${encoded}`, redirect(`http://10.0.0.1/b?key=${encoded}`)],
    ["redirects for ever", `https://x.test/a?key=${key}`, redirect(`https://x.test/a?key=${key}`)],
    ["redirects to http", `https://x.test/a?key=${key}`, redirect(`http://x.test/b?key=${key}`)],
    ["is no URL", `//${"x".repeat(170)}?key=${key}`, () => bytes()],
    ["is another scheme's", `ftp://x.test/?key=${key}`, () => bytes()],
    [
      "is in the error of the fetch function",
      `https://x.test/a?key=${key}`,
      () => Promise.reject(new TypeError("fetch failed", { cause: new Error(`GET https://x.test/a?key=${key}`) })),
    ],
  ])("is not shown if the URL %s", async ([, url, serve]) => {
    const { media, events } = clientWith([url], serve, key);
    const task = media.image.task("t-1");
    const error = await errorOf(blobs(task, { allowPrivateHosts: false }));
    expect(error).toBeInstanceOf(Error);
    for (const form of [key, encoded, "sk-canary"]) expect(shown(error, events)).not.toContain(form);
    // Losing a paid result would be worse.
    expect(task.record?.url).toEqual([url]);
  });
});
