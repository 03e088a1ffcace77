import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { blobs, type FetchInit, type TaskJSON } from "@mediagen/sdk";
import { download } from "@mediagen/sdk/node";
import { describe, expect, test } from "vitest";
import { shown } from "../shown.ts";
import { clientOf, errorOf, origin, success } from "./fake-service.ts";
import { ownDirectory } from "./result-server.ts";

const directory = ownDirectory();

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

const bytes = (headers: Record<string, string> = {}) =>
  new Response(Buffer.from("no known bytes"), { headers });

test.for([
  ["a.php", undefined, "bin"],
  ["a.exe", "application/octet-stream", "bin"],
  ["a.svg", "image/svg+xml", "bin"],
  ["a.mp4.php", undefined, "bin"],
  ["a.php?x=.png", undefined, "bin"],
  ["a", undefined, "bin"],
  ["a.MP4", undefined, "mp4"],
  ["a.php", "image/png", "png"],
  ["a", "video/mp4; codecs=avc1", "mp4"],
])(
  "a file whose bytes are of no known type, of %s with Content-Type %s, ends in %s",
  async ([path, type, extension]) => {
    const { media } = clientWith([`${origin}/${path}`], () =>
      bytes(type ? { "content-type": type } : {}),
    );
    const [file] = await download(media.image.task("t-1"), directory.path);
    expect(basename(file?.path ?? "")).toBe(`t-1-1.${extension}`);
  },
);

describe("a text in place of the result", () => {
  const envelope = '{"code":9999,"msg":"the link has expired"}';
  const texts = [
    "application/json",
    "application/problem+json",
    "text/plain; charset=utf-8",
    "text/html",
  ];
  const png = Buffer.from("\x89PNG\r\n\x1a\n and more", "latin1");
  const asText = (type: string) => new Response(envelope, { headers: { "content-type": type } });

  test.for(texts)("is no result, and the URL is renewed once: %s", async (type) => {
    const urls = [`${origin}/old`];
    const { media, requested } = clientWith(urls, (url) => {
      if (url.endsWith("new")) return new Response(png, { headers: { "content-type": type } });
      urls[0] = `${origin}/new`;
      return asText(type);
    });
    const [blob] = await blobs(media.image.task("t-1"));
    expect(blob).toMatchObject({ type: "image/png", size: png.length });
    expect(requested).toEqual([`${origin}/old`, `${origin}/new`]);
  });

  test("is never saved, so that a later run fetches the result again", async () => {
    const { media, requested } = clientWith([`${origin}/old`], () => asText("application/json"));
    expect(await errorOf(download(media.image.task("t-1"), directory.path))).toMatchObject({
      name: "ConnectionError",
      message: expect.stringContaining("application/json instead of the result"),
      isRetryable: true,
    });
    expect(requested.length).toBeGreaterThan(1);
    expect(await readdir(directory.path)).toEqual([]);
  });
});

test.for<[string, Partial<TaskJSON>, number]>([
  ["as the form requested, if the record has more", { model: "imgmodelv4" }, 2],
  ["as the record has, if the task was made from its id alone", {}, 3],
])("as many results are fetched %s", async ([, fields, count]) => {
  const urls = ["a", "b", "c"].map((name) => `${origin}/${name}`);
  const { media, requested } = clientWith(urls, () => bytes());
  const task = media.task({
    version: 2,
    kind: "image",
    taskid: "t-1",
    origin,
    resultCount: 2,
    ...fields,
  });
  expect(await blobs(task)).toHaveLength(count);
  expect(requested).toEqual(urls.slice(0, count));
  expect(task.record?.url).toEqual(urls);
});

test.for<[string, Record<string, string>, number | undefined, string]>([
  // It is shorter than its length.
  [
    "of 256 MiB is fetched into memory",
    { "content-length": String(2 ** 28) },
    undefined,
    "ConnectionError",
  ],
  [
    "of more than 256 MiB is not",
    { "content-length": String(2 ** 28 + 1) },
    undefined,
    "ServiceError",
  ],
  [
    "of more is, if the caller says so",
    { "content-length": String(2 ** 28 + 1) },
    2 ** 30,
    "ConnectionError",
  ],
  [
    "is limited as well if its length is no number",
    { "content-length": "many" },
    10,
    "ServiceError",
  ],
  [
    "is not, compressed: the runtime's fetch does not notice if it is cut",
    { "content-encoding": "br" },
    99,
    "ServiceError",
  ],
])("a result %s", async ([, headers, maxBytes, name]) => {
  const { media } = clientWith([`${origin}/a`], () => bytes(headers));
  expect(await errorOf(blobs(media.image.task("t-1"), { maxBytes }))).toHaveProperty("name", name);
});

describe("an API key in the URL of a result", () => {
  const key = "sk-canary/+1";
  const encoded = encodeURIComponent(key);
  const redirect = (location: string) => () =>
    new Response(null, { status: 302, headers: { location } });
  const failure = () =>
    Promise.reject(
      new TypeError("fetch failed", { cause: new Error(`GET https://x.test/a?key=${key}`) }),
    );

  test.for<[string, string, () => Response | Promise<Response>]>([
    ["leads into a private network", `http://10.0.0.1/a?key=${key}`, () => bytes()],
    [
      "leads there by a redirect",
      `https://x.test/a?key=${encoded}`,
      redirect(`http://10.0.0.1/b?key=${encoded}`),
    ],
    ["redirects for ever", `https://x.test/a?key=${key}`, redirect(`https://x.test/a?key=${key}`)],
    ["is no URL", `//${"x".repeat(170)}?key=${key}`, () => bytes()],
    ["is in the error of the fetch function", `https://x.test/a?key=${key}`, failure],
  ])("is not shown if the URL %s", async ([, url, serve]) => {
    const { media, events } = clientWith([url], serve, key);
    const task = media.image.task("t-1");
    const error = await errorOf(blobs(task, { allowPrivateHosts: false }));
    expect(error).toBeInstanceOf(Error);
    expect(shown([error, events]) + shown(error)).not.toMatch(/sk-canary/);
    // To lose a paid result would be worse.
    expect(task.record?.url).toEqual([url]);
  });
});
