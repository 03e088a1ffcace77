import https from "node:https";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileFrom as fileFromAnywhere } from "@mediagen/sdk";
import * as sdk from "@mediagen/sdk/node";
import { createHttpClient } from "@mediagen/sdk/http";
import { expect, test, vi } from "vitest";
import {
  clientOf,
  connectionRefused,
  fails,
  lost,
  origin,
  rejection,
  success,
  type FakeOptions,
  type Reply,
} from "./fake-service.ts";

/** A call that is made wrong, as a program without types may make it. */
// oxlint-disable-next-line typescript/no-explicit-any -- each call breaks a type on purpose
type Mistake = (api: any, media: any) => unknown;

/** Mistakes by what they are; each client has a service that creates tasks without results. */
const mistakes: Readonly<Record<string, Mistake>> = {
  "createMediaGen({})": ({ createMediaGen }) => createMediaGen({}),
  "createMediaGen(null)": ({ createMediaGen }) => createMediaGen(null),
  "createMediaGen: baseURL": ({ createMediaGen }) => createMediaGen({ baseURL: origin }),
  "createMediaGen: foo": ({ createMediaGen }) => createMediaGen({ baseUrl: origin, foo: 1 }),
  "createMediaGen: baseUrl media.example": ({ createMediaGen }) => createMediaGen({ baseUrl: "media.example" }),
  "createMediaGen: baseUrl ftp:": ({ createMediaGen }) => createMediaGen({ baseUrl: "ftp://media.example" }),
  "createMediaGen: baseUrl with a password": ({ createMediaGen }) =>
    createMediaGen({ baseUrl: "https://a:b@media.example" }),
  "createMediaGen: baseUrl over http": ({ createMediaGen }) => createMediaGen({ baseUrl: "http://media.example" }),
  "createMediaGen: baseUrl with /v1": ({ createMediaGen }) => createMediaGen({ baseUrl: "https://media.example/v1" }),
  "createMediaGen: store as a text": ({ createMediaGen }) => createMediaGen({ baseUrl: origin, store: ".mediagen" }),
  "createMediaGen: store as an object": ({ createMediaGen }) => createMediaGen({ baseUrl: origin, store: {} }),
  "createMediaGen: fetch as a text": ({ createMediaGen }) => createMediaGen({ baseUrl: origin, fetch: "node-fetch" }),
  "createMediaGen: onEvent as an object": ({ createMediaGen }) => createMediaGen({ baseUrl: origin, onEvent: {} }),
  "createMediaGen: retries": ({ createMediaGen }) => createMediaGen({ baseUrl: origin, retries: -1 }),
  "createMediaGen: queryTimeoutMs": ({ createMediaGen }) => createMediaGen({ baseUrl: origin, queryTimeoutMs: "5s" }),
  "createMediaGen: maxQueriesInFlight": ({ createMediaGen }) =>
    createMediaGen({ baseUrl: origin, maxQueriesInFlight: 0 }).video.task("t").check(),
  "createMediaGen: statuses.failed": ({ createMediaGen }) =>
    createMediaGen({ baseUrl: origin, statuses: { failed: 3 } }),
  "createMediaGen: statuses.done": ({ createMediaGen }) => createMediaGen({ baseUrl: origin, statuses: { done: [1] } }),
  "createMediaGen: headers.authorization": ({ createMediaGen }) =>
    createMediaGen({ baseUrl: origin, headers: { authorization: "x" } }),
  "createMediaGen: headers with a line break": ({ createMediaGen }) =>
    createMediaGen({ baseUrl: origin, headers: { "x-tenant": "a\nb" } }),
  "createMediaGen: headers with a bad name": ({ createMediaGen }) =>
    createMediaGen({ baseUrl: origin, headers: { "x tenant": "a" } }),
  "createMediaGen: headers as a text": ({ createMediaGen }) => createMediaGen({ baseUrl: origin, headers: "x" }),
  "createMediaGen: HTTPS_PROXY": ({ createMediaGen }) => {
    vi.stubEnv("HTTPS_PROXY", "socks5://user:secret@proxy.example");
    try {
      return createMediaGen({ baseUrl: "https://media.example" });
    } finally {
      vi.unstubAllEnvs();
    }
  },
  "createMediaGen: agent": ({ createMediaGen }) => createMediaGen({ baseUrl: origin, agent: "http://proxy.example" }),
  "createMediaGen: agent and fetch": ({ createMediaGen }) =>
    createMediaGen({ baseUrl: origin, agent: new https.Agent(), fetch }),
  "fileStore()": ({ fileStore }) => fileStore(),
  "apiKey with a line break": ({ createMediaGen }) =>
    createMediaGen({ baseUrl: origin, apiKey: "a\nb" }).video.task("t").check(),
  "apiKey empty": ({ createMediaGen }) => createMediaGen({ baseUrl: origin, apiKey: "" }).video.task("t").check(),

  "generate: no such model": (_, media) => media.generate("vidmodelv3", { prompt: "A fox" }),
  "generate: a word that is no model": (_, media) => media.generate("sora", { prompt: "A fox" }),
  "generate: model undefined": (_, media) => media.generate(undefined, { prompt: "A fox" }),
  "generate: a model of the other kind": (_, media) => media.video.generate("imgmodelz", { prompt: "A fox" }),
  "generate: no form": (_, media) => media.video.generate("vidmodelv2"),
  "generate: an empty form": (_, media) => media.video.generate("vidmodelv2", {}),
  "generate: prompt missing": (_, media) => media.image.generate("imgmodelv4", { resolution: "1:1" }),
  "generate: prompt as a number": (_, media) => media.video.generate("vidmodelv2", { prompt: 12 }),
  "generate: prompt null": (_, media) => media.video.generate("vidmodelv2", { prompt: null }),
  "generate: prompt blank": (_, media) => media.image.generate("imgmodelz", { prompt: "   " }),
  "generate: prompt empty": (_, media) => media.image.generate("imgmodelz", { prompt: "" }),
  "generate: prompt too long": (_, media) => media.video.generate("vidmodelv2", { prompt: "x".repeat(8193) }),
  "generate: prompt with half a surrogate pair": (_, media) => media.video.generate("vidmodelv2", { prompt: "\ud800" }),
  "generate: ratio 16x9": (_, media) => media.video.generate("vidmodelv2", { prompt: "A fox", ratio: "16x9" }),
  "generate: ratio 16/9": (_, media) => media.video.generate("vidmodelv2", { prompt: "A fox", ratio: "16/9" }),
  "generate: ratio wide": (_, media) => media.video.generate("vidmodelv2", { prompt: "A fox", ratio: "wide" }),
  'generate: duration "5"': (_, media) => media.video.generate("vidmodelv2", { prompt: "A fox", duration: "5" }),
  "generate: duration 7": (_, media) => media.video.generate("vidmodelv2", { prompt: "A fox", duration: 7 }),
  "generate: resolution 720": (_, media) => media.video.generate("vidmodelv2", { prompt: "A fox", resolution: 720 }),
  "generate: seed 1.5": (_, media) => media.video.generate("vidmodelv2", { prompt: "A fox", seed: 1.5 }),
  "generate: generate_audio 2": (_, media) =>
    media.video.generate("vidmodelv2", { prompt: "A fox", generate_audio: "yes" }),
  "generate: execution_expires_after 60": (_, media) =>
    media.video.generate("vidmodelv2", { prompt: "A fox", execution_expires_after: 60 }),
  "generate: batchsize 16": (_, media) => media.image.generate("imgmodelv4", { prompt: "A fox", batchsize: 16 }),
  'generate: batchsize "2"': (_, media) => media.image.generate("imgmodelv4", { prompt: "A fox", batchsize: "2" }),
  "generate: resolution 1024*1024": (_, media) =>
    media.image.generate("imgmodelv45", { prompt: "A fox", resolution: "1024*1024" }),
  "generate: resolution 1500x1500": (_, media) =>
    media.image.generate("imgmodelv45", { prompt: "A fox", resolution: "1500x1500" }),
  "generate: resolution 1024x1024 of imgmodelz": (_, media) =>
    media.image.generate("imgmodelz", { prompt: "A fox", resolution: "1024x1024" }),
  "generate: field promt": (_, media) => media.video.generate("vidmodelv2", { promt: "A fox" }),
  "generate: field foo": (_, media) => media.video.generate("vidmodelv2", { prompt: "A fox", foo: 1 }),
  "generate: field generateAudio": (_, media) =>
    media.video.generate("vidmodelv2", { prompt: "A fox", generateAudio: true }),
  "generate: several mistakes": (_, media) =>
    media.video.generate("vidmodelv2", { prompt: 12, ratio: "16x9", duration: 7 }),
  "generate: sourceImage as a path": (_, media) => media.video.generate("vidmodelv2", { sourceImage: "first.png" }),
  "generate: sourceImage as a URL": (_, media) =>
    media.video.generate("vidmodelv2", { sourceImage: "https://a.example/b.png" }),
  "generate: sourceImage as a promise": ({ fileFrom }, media) =>
    media.video.generate("vidmodelv2", { sourceImage: Promise.resolve(fileFrom) }),
  "generate: sourceImage as bytes": (_, media) =>
    media.video.generate("vidmodelv2", { sourceImage: new Uint8Array(4) }),
  "generate: sourceImage as an object": (_, media) =>
    media.video.generate("vidmodelv2", { sourceImage: { path: "a.png" } }),
  "generate: sourceImage empty": (_, media) => media.video.generate("vidmodelv2", { sourceImage: new Blob([]) }),
  "generate: sourceImage is a page": (_, media) =>
    media.video.generate("vidmodelv2", { sourceImage: new Blob(["<html>"], { type: "text/html" }) }),
  "generate: no source images": (_, media) => media.video.generate("vidmodelv2", { sourceImage: [] }),
  "generate: three source images": (_, media) =>
    media.video.generate("vidmodelv2", { sourceImage: [png(), png(), png()] }),
  "generate: two source images, one at most": (_, media) =>
    media.image.generate("imgmodelv4", { prompt: "A fox", sourceImage: [png(), png()] }),
  "generate: imageUrl as a path": (_, media) =>
    media.image.generate("imgmodelv4", { prompt: "A fox", imageUrl: "first.png" }),
  "generate: extraFields that the form has": (_, media) =>
    media.video.generate("vidmodelv2", { prompt: "A fox" }, { extraFields: { duration: 5 } }),
  "generate: extraFields as a list": (_, media) =>
    media.video.generate("vidmodelv2", { prompt: "A fox" }, { extraFields: { style: ["a"] } }),
  "generate: option timeout": (_, media) => media.video.generate("vidmodelv2", { prompt: "A fox" }, { timeout: 5 }),
  "generate: options as a text": (_, media) => media.video.generate("vidmodelv2", { prompt: "A fox" }, "order-42"),
  "generate: signal as a controller": (_, media) =>
    media.video.generate("vidmodelv2", { prompt: "A fox" }, { signal: {} }),
  "generate: idempotencyKey and no store": (_, media) =>
    media.video.generate("vidmodelv2", { prompt: "A fox" }, { idempotencyKey: "order-42" }),
  "generate: idempotencyKey empty": (_, media) =>
    media.video.generate("vidmodelv2", { prompt: "A fox" }, { idempotencyKey: "" }),
  "generate: idempotencyKey and another header": ({ createMediaGen }) =>
    createMediaGen({ baseUrl: origin }).video.generate(
      "vidmodelv2",
      { prompt: "A fox" },
      { idempotencyKey: "a", headers: { "idempotency-key": "b" } },
    ),
  "generate: unchecked, a path as model": (_, media) =>
    media.video.generate("v1/x", { prompt: "A fox" }, { unchecked: true }),
  "generate: unchecked, a list of texts": (_, media) =>
    media.video.generate("vidmodelv9", { prompt: ["A fox"] }, { unchecked: true }),
  "generate: unchecked, a field twice": (_, media) =>
    media.video.generate("vidmodelv9", { style: "a" }, { unchecked: true, extraFields: { style: "b" } }),

  "media.task(undefined)": (_, media) => media.task(undefined),
  'media.task("video-123")': (_, media) => media.task("video-123"),
  "media.task(JSON text)": (_, media) => media.task('{"version":2}'),
  "media.task(promise)": (_, media) => media.task(Promise.resolve({})),
  "media.task({})": (_, media) => media.task({}),
  "media.task of another origin": (_, media) => media.task({ ...saved, origin: "https://other.example" }),
  "media.task of version 1": (_, media) => media.task({ ...saved, version: 1 }),
  "media.task: kind audio": (_, media) => media.task({ ...saved, kind: "audio" }),
  "media.video.task()": (_, media) => media.video.task(),
  "task.wait: option timeout": (_, media) => media.task(saved).wait({ timeout: 5 }),
  'task.wait: waitTimeoutMs "5s"': (_, media) => media.task(saved).wait({ waitTimeoutMs: "5s" }),
  "task.wait: onUpdate as a text": (_, media) => media.task(saved).wait({ onUpdate: "x" }),
  "task.check: signal": (_, media) => media.task(saved).check({ signal: "no" }),
  "media.video.query()": (_, media) => media.video.query(),
  "media.video.query: unknown option": (_, media) => media.video.query("t-1", { moreInfo: true }),
  "media.video.delete(text)": (_, media) => media.video.delete("t-1"),
  "media.video.delete([])": (_, media) => media.video.delete([]),
  "waitAll(promises)": ({ waitAll }) => waitAll([Promise.resolve(1)]),
  "waitAll: waitTimeoutMs": ({ waitAll }, media) => waitAll([media.task(saved)], { waitTimeoutMs: -1 }),

  "download(undefined)": ({ download }) => download(undefined, "out"),
  "download(promise)": ({ download }, media) => download(Promise.resolve(media.task(saved)), "out"),
  "download(JSON)": ({ download }) => download(saved, "out"),
  "download(record)": ({ download }) => download({ taskid: "t-1", url: ["https://a.example/1.png"] }, "out"),
  "download(task)": ({ download }, media) => download(media.task(saved)),
  'download(task, "")': ({ download }, media) => download(media.task(saved), ""),
  "download: no results": ({ download }, media) => download(media.task(saved), "out"),
  "download: option override": ({ download }, media) => download(media.task(saved), "out", { override: true }),
  "blobs(promise)": ({ blobs }, media) => blobs(Promise.resolve(media.task(saved))),
  "blobs: no results": ({ blobs }, media) => blobs(media.task(saved)),
  "streams(undefined)": ({ streams }) => streams(undefined),

  "fileFrom()": ({ fileFrom }) => fileFrom(),
  "fileFrom: no such file": ({ fileFrom }) => fileFrom("nope.png"),
  "fileFrom: a directory": ({ fileFrom }) => fileFrom(place),
  "fileFrom: a text file": ({ fileFrom }) => fileFrom(join(place, "a.txt")),
  "fileFrom: an empty file": ({ fileFrom }) => fileFrom(join(place, "empty.png")),
  "fileFrom: a page": ({ fileFrom }) => fileFrom(join(place, "page.png")),
  "fileFrom: too large": ({ fileFrom }) => fileFrom(png(), { maxBytes: 4 }),
  "fileFrom: a data URI that is none": ({ fileFrom }) => fileFrom("data:image/png;base64,%%%"),
  "fileFrom: a private host": ({ fileFrom }) => fileFrom("http://10.0.0.1/a.png"),
  "fileFrom: a URL with a password": ({ fileFrom }) => fileFrom("https://a:b@media.example/a.png"),
  "fileFrom: an ftp URL": ({ fileFrom }) => fileFrom("ftp://media.example/a.png"),
  "fileFrom: a file URL of another host": ({ fileFrom }) => fileFrom(new URL("file://host/a.png")),
  "fileFrom: a response that was read": async ({ fileFrom }) => {
    const response = new Response("x");
    await response.text();
    return fileFrom(response);
  },
  "fileFrom: a response with HTTP 404": ({ fileFrom }) => fileFrom(new Response("x", { status: 404 })),
  "fileFrom: a promise": ({ fileFrom }) => fileFrom(Promise.resolve(png())),
  "fileFrom: option names": ({ fileFrom }) => fileFrom(png(), { filename: "a.png" }),
  "fileFrom without Node: a path": () => fileFromAnywhere("a.png"),

  "recover without a store": (_, media) => media.recover(),
  "resolve: no such generation": ({ memoryStore }) => withStore({ store: memoryStore() }).resolve("nope", "notCreated"),
  "resolve: no outcome": ({ memoryStore }) =>
    // @ts-expect-error: it has no outcome.
    withStore({ store: memoryStore() }).resolve("nope", {}),
  "fieldsOf: no such model": ({ fieldsOf }) => fieldsOf("vidmodelv3"),
  "createHttpClient({})": () => createHttpClient({}),
};

/** What the service does wrong, or what cannot be reached. */
const troubles: Readonly<Record<string, () => unknown>> = {
  "generate: insufficient credits": () => generateAt(() => Response.json({ code: 9000, msg: "5 credits are missing" })),
  "generate: rejected": () => generateAt(rejection),
  "generate: HTTP 400": () => generateAt(() => new Response("", { status: 400 })),
  "generate: HTTP 401": () => generateAt(() => new Response("", { status: 401 })),
  "generate: HTTP 401 without a key": () => generateAt(() => new Response("", { status: 401 }), { apiKey: undefined }),
  "generate: HTTP 401 with an envelope": () =>
    generateAt(() => Response.json({ code: 9999, msg: "wrong API key" }, { status: 401 })),
  "generate: HTTP 403": () => generateAt(() => new Response("", { status: 403 })),
  "generate: HTTP 404": () => generateAt(() => new Response("<html>", { status: 404 })),
  "generate: HTTP 404 with an envelope": () =>
    generateAt(() => Response.json({ code: 9999, msg: "no such path" }, { status: 404 })),
  "generate: HTTP 413": () => generateAt(() => new Response("", { status: 413 })),
  "generate: HTTP 429": () => generateAt(() => new Response("", { status: 429, headers: { "retry-after": "9" } })),
  "generate: HTTP 500": () => generateAt(lost),
  "generate: HTTP 302": () => generateAt(() => new Response("", { status: 302, headers: { location: "/login" } })),
  "generate: an HTML page": () =>
    generateAt(() => new Response("<html>", { headers: { "content-type": "text/html" } })),
  "generate: an empty body": () => generateAt(() => new Response("")),
  "generate: an unknown code": () => generateAt(() => Response.json({ code: 1001, msg: "?" })),
  "generate: no taskid": () => generateAt(() => success({})),
  "generate: connection refused": () => generateAt(fails(connectionRefused)),
  "generate: connection reset": () => generateAt(fails(new TypeError("terminated"))),
  "generate: outcome unknown, with a store": () => generateAt(lost, { store: sdk.memoryStore() }),
  "generate: the store fails": () =>
    generateAt(rejection, { store: { ...sdk.memoryStore(), write: () => Promise.reject(new Error("disk full")) } }),
  "generate: no server": () =>
    sdk
      .createMediaGen({ baseUrl: "http://127.0.0.1:9", apiKey: "k", retries: 0 })
      .image.generate("imgmodelz", { prompt: "A fox" }),
  "generate: no such host": () =>
    sdk
      .createMediaGen({ baseUrl: "https://media.invalid", apiKey: "k", retries: 0 })
      .image.generate("imgmodelz", { prompt: "A fox" }),
  "check: rejected": () => checkAt(rejection),
  "check: HTTP 401": () => checkAt(() => new Response("", { status: 401 })),
  "check: HTTP 404": () => checkAt(() => new Response("", { status: 404 })),
  "check: HTTP 302": () => checkAt(() => new Response("", { status: 302 })),
  "check: HTTP 307": () => checkAt(() => new Response("", { status: 307 })),
  "check: HTTP 401 without a key": () => saveAt(() => new Response("", { status: 401 }), { apiKey: undefined }).check(),
  "check: HTTP 429": () => checkAt(() => new Response("", { status: 429 })),
  "check: HTTP 500": () => checkAt(lost),
  "check: an HTML page": () => checkAt(() => new Response("<html>")),
  "check: connection refused": () => checkAt(fails(connectionRefused)),
  "wait: timeout": () => timeoutOf(1_800_000, undefined, { record: { ...record, message: "" }, status: 1 }),
  "wait: timeout, last query failed": () => timeoutOf(90_000, new Error("fetch failed")),
  "wait: failed": () =>
    saveAt(() => success({ taskid: "t-1", url: [], image_status: 3 }), { statuses: { failed: [3] } }).wait(),
  "resolve: known outcome": async () => {
    const store = sdk.memoryStore();
    const { media, generate } = clientOf([], { passing: ["pause"], store });
    const { generationId = "" } = await generate("order-42");
    return media.resolve(generationId, "notCreated");
  },
  "idempotencyKey with another form": async () => {
    const { generate } = clientOf([], { passing: ["pause"], store: sdk.memoryStore() });
    await generate("order-42", "A fox");
    return generate("order-42", "A hare");
  },
  "idempotencyKey with another model": async () => {
    const { generate, media } = clientOf([], { passing: ["pause"], store: sdk.memoryStore() });
    await generate("order-42", "A fox");
    return media.image.generate("imgmodelv4", { prompt: "A fox" }, { idempotencyKey: "order-42" });
  },
};

const saved = { version: 2, kind: "image", taskid: "t-1", origin, resultCount: 1 } as const;
const withStore = (options: FakeOptions) => clientOf([], options).media;
const png = () =>
  new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 0])], { type: "image/png" });
const generateAt = (reply: Reply, options?: FakeOptions) =>
  clientOf([reply], { passing: ["pause"], ...options }).generate();
const saveAt = (reply: Reply, options?: FakeOptions) =>
  clientOf([reply], { ...options }).media.task(saved) as sdk.Task<"image">;
const checkAt = (reply: Reply) => saveAt(reply).check();
/** What a wait rejects with at its deadline, which no test waits for. */
const timeoutOf = (
  ...rest: [ms: number, error: unknown, last?: ConstructorParameters<typeof sdk.WaitTimeoutError>[3]]
) => Promise.reject(new sdk.WaitTimeoutError(withStore({}).task(saved), ...rest));
const record = { taskid: "t-1", url: [], image_status: 1 };
let place = "";

async function messageOf(run: () => unknown): Promise<string> {
  try {
    const result = await run();
    return `no error: ${JSON.stringify(result)}`;
  } catch (error) {
    if (!(error instanceof Error)) return `thrown: ${String(error)}`;
    return `${error.name}: ${error.message}`
      .replaceAll(place, "/place")
      .replace(/[\da-f]{8}-[\da-f-]{27}/g, "ID")
      .replace(/t-\d+-1/g, "t-1");
  }
}

test("every mistake gets a message in plain English", async () => {
  place = await mkdtemp(join(tmpdir(), "mediagen-messages-"));
  await Promise.all([
    writeFile(join(place, "a.txt"), "text"),
    writeFile(join(place, "empty.png"), ""),
    writeFile(join(place, "page.png"), "<!doctype html>"),
  ]);
  const rows: string[] = [];
  for (const [name, run] of Object.entries(mistakes)) {
    const { media } = clientOf([() => success({ taskid: "t-1", url: [], image_status: 1 })]);
    rows.push(`# ${name}\n${await messageOf(() => run(sdk, media))}\n`);
  }
  for (const [name, run] of Object.entries(troubles)) rows.push(`# ${name}\n${await messageOf(run)}\n`);
  await rm(place, { recursive: true });
  await expect(rows.join("\n")).toMatchFileSnapshot("messages.txt");
});
