import https from "node:https";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { fileFrom as fileFromAnywhere } from "@mediagen/sdk";
import { createHttpClient } from "@mediagen/sdk/http";
import * as sdk from "@mediagen/sdk/node";
import { expect, test, vi } from "vitest";
import { shown } from "../shown.ts";
import {
  clientOf,
  connectionRefused,
  errorOf,
  fails,
  type FakeOptions,
  fetchError,
  lost,
  neverSent,
  origin,
  rejection,
  type Reply,
  success,
} from "./fake-service.ts";

// The owner of what errors say, and of what they mean for the money: messages.txt has each with its fields.

/** A call that is made wrong, as a program without types may make it. */
// oxlint-disable-next-line typescript/no-explicit-any -- each call breaks a type on purpose
type Mistake = (...given: any[]) => unknown;

const secret = "sk-live-0123456789";
const fox = { prompt: "A fox" };
const [v2, v15, v4, v45, z] = ["vidmodelv2", "vidmodelv15pro", "imgmodelv4", "imgmodelv45", "imgmodelz"];
const tooLong = "\n".repeat(1_000_001);
const fileOf = (text: string, type: string) => new File([Buffer.from(text, "latin1")], "first.png", { type });
const png = fileOf("\x89PNG\r\n\x1a\n\0\0\0\0", "image/png");
const gif = Buffer.from("GIF89a");
const nothing = new Blob([], { type: "image/png" });
const saved = { version: 2, kind: "image", taskid: "t-1", origin, resultCount: 1 } as const;
const place = await mkdtemp(join(tmpdir(), "mediagen-messages-"));

/** Options of a client. */
const clients: Readonly<Record<string, unknown>> = {
  nothing: {},
  "an agent next to fetch": { baseUrl: origin, agent: new https.Agent(), fetch },
  null: null,
  "a key in their place": secret,
  "inherited, unknown": Object.create({ baseUrl: origin, nothing: 1 }),
  ...Object.fromEntries(
    [
      ...[{ baseURL: origin }, { apikey: secret }, { foo: 1 }, { apiKey: null }],
      ...[{ baseUrl: "" }, { baseUrl: "media.example" }, { baseUrl: secret }, { baseUrl: "ftp://media.example" }],
      ...[{ baseUrl: `http://me:${secret}@localhost` }, { baseUrl: `http://localhost?key=${secret}` }],
      ...[{ baseUrl: "http://localhost/#a" }, { baseUrl: "http://localhost/?" }, { baseUrl: "http://localhost/#" }],
      ...[{ baseUrl: "http://media.example" }, { allowHttp: "false" }, { store: ".mediagen" }, { store: {} }],
      ...[{ fetch: "node-fetch" }, { onEvent: {} }, { clock: Date.now }, { headers: "x" }, { headers: new Headers() }],
      ...[{ retries: -1 }, { retries: Number.NaN }, { queryTimeoutMs: "5s" }, { generateTimeoutMs: Number.NaN }],
      ...[{ maxQueriesInFlight: 0 }, { maxQueriesInFlight: "2" }, { resendGenerationAfter: 503 }],
      ...[{ statuses: 3 }, { statuses: { failed: 3 } }, { statuses: { failed: ["3"] } }, { statuses: { done: [1] } }],
      ...[{ headers: { "x-tenant": `${secret}\nb` } }, { headers: { "x tenant": "a" } }, { headers: { "x-n": 1 } }],
      ...[{ headers: { "Content-Type": "text/plain" } }, { apiKey: "sk", headers: { Authorization: secret } }],
      ...[{ headers: { "Idempotency-Key": "order-1" } }, { agent: `http://user:${secret}@proxy` }, { agent: {} }],
      ...[{ agent: null }, { resultCount: 1 }],
    ].map((options) => [inspect(options, { breakLength: Infinity }), { baseUrl: origin, ...options }]),
  ),
};

/** Forms by what is wrong with them: a model, a form and options. */
const forms: Readonly<Record<string, readonly [model: unknown, form?: unknown, options?: unknown]>> = {
  "no such model": ["vidmodelv3", fox],
  "a model like another": ["vidmodelv2fats", fox],
  "a name of every object as the model": ["constructor", fox],
  "a picture as the model": ["iVBORw0KGgo".repeat(200_000), fox],
  "model undefined": [undefined, fox],
  "a model in a list": [[z], fox],
  "a text as the form": [v2, "A fox"],
  "a list as the form": [v2, []],
  "an empty form": [v2, {}],
  "a form of undefined fields": [v15, { prompt: undefined, sourceImage: undefined }],
  "only an extra field": [v2, {}, { extraFields: { text: "A fox" } }],
  "prompt missing": [v4, { resolution: "1:1" }],
  "prompt as a number": [v2, { prompt: 12 }],
  "prompt null": [v2, { prompt: null }],
  "prompt blank": [z, { prompt: " \n\t\u00a0\u3000\ufeff" }],
  "prompt too long": [v2, { prompt: "x".repeat(8193) }],
  "prompt beyond what any model takes": [v15, { prompt: tooLong }],
  "prompt with half a surrogate pair": [v2, { prompt: "fox \ud83e" }],
  "ratio 16x9": [v2, { ...fox, ratio: "16x9" }],
  "ratio wide": [v2, { ...fox, ratio: "wide" }],
  "ratio blank": [v15, { ...fox, ratio: " " }],
  "duration as text": [v2, { ...fox, duration: "5" }],
  "duration 7": [v2, { ...fox, duration: 7 }],
  "resolution 4k": [v45, { ...fox, resolution: "4k" }],
  "seed 1.5": [v2, { ...fox, seed: 1.5 }],
  "seed NaN": [v2, { ...fox, seed: Number.NaN }],
  "seed that is no longer exact": [v2, { ...fox, seed: 2 ** 53 }],
  "seed as a big integer": [v2, { ...fox, seed: 5n }],
  "half a frame": [v2, { ...fox, fps: 23.5 }],
  "fps that is no int32": [v2, { ...fox, fps: 2 ** 31 }],
  "generate_audio yes": [v2, { ...fox, generate_audio: "yes" }],
  "websearch 1": [v2, { ...fox, websearch: 1 }],
  "execution_expires_after 60": [v2, { ...fox, execution_expires_after: 60 }],
  "batchsize 16": [v4, { ...fox, batchsize: 16 }],
  "resolution 1024*1024": [v45, { ...fox, resolution: "1024*1024" }],
  "resolution 1500x1500": [v45, { ...fox, resolution: "1500x1500" }],
  "resolution 1024x1024 of imgmodelz": [z, { ...fox, resolution: "1024x1024" }],
  "field promt": [v2, { promt: "A fox" }],
  "field foo": [v2, { ...fox, foo: 1 }],
  "field generateAudio": [v2, { ...fox, generateAudio: true }],
  "a field that every object has": [v2, { ...fox, toString: "x" }],
  "a prototype": [v2, JSON.parse('{"prompt":"x","__proto__":"x"}')],
  "several mistakes": [v2, { prompt: "x".repeat(8193), ratio: "16x9", duration: 0.5, generateAudio: true, seed: 1.5 }],
  "sourceImage as a path": [v2, { sourceImage: "first.JPG" }],
  "sourceImage as a relative path": [v2, { sourceImage: "../first" }],
  "sourceImage as a path without an extension": [v2, { sourceImage: "/pictures/first" }],
  "sourceImage as a path of Windows": [v2, { sourceImage: "C:\\pictures\\first" }],
  "sourceImage as a URL": [v2, { sourceImage: "https://a.example/b" }],
  "sourceImage as a data URI": [v2, { sourceImage: "data:image/png;base64,iVBORw0KGgo=" }],
  "sourceImage as Base64": [v2, { sourceImage: "iVBORw0KGgo".repeat(10) }],
  "sourceImage as an empty text": [v2, { sourceImage: "" }],
  "sourceImage as a promise": [v2, { sourceImage: Promise.resolve(png) }],
  "sourceImage as bytes": [v2, { sourceImage: new Uint8Array(4) }],
  "sourceImage as an object": [v2, { sourceImage: { path: "a.png" } }],
  "sourceImage empty": [v2, { sourceImage: nothing }],
  "sourceImage is a page": [v2, { sourceImage: fileOf("<html>", "text/html") }],
  "sourceImage is a text that calls itself an image": [v2, { sourceImage: fileOf("hello", "image/png") }],
  "sourceImage is a clip": [v2, { sourceImage: fileOf("\0\0\0\x18ftypmp42", "video/mp4") }],
  "sourceImage as a list with a gap": [v2, { sourceImage: [png, undefined] }],
  "sourceImage as a list in a list": [v2, { sourceImage: [[png]] }],
  "no source images": [v2, { sourceImage: [] }],
  "a list of one source image, where the model takes one": [v4, { ...fox, sourceImage: [png] }],
  "the name of a part": [v2, { "sourceImage.items": [png] }],
  ...Object.fromEntries(
    ["first.png", "C:\\a.png", "ftp://x/a.png", "", "//x/a.png", "https://", "data:image/png;base64,AAAA"]
      .concat("https://x/a.png https://x/b.png", "https://x/a.png, https://x/b.png", " https://x/a.png")
      .map((imageUrl) => [`imageUrl ${JSON.stringify(imageUrl)}`, [v4, { ...fox, imageUrl }]]),
  ),
  ...Object.fromEntries(
    ["https://x/a.png,a.png", "a.png,https://x/a.png", "https://x/a.png,", ",https://x/a.png"].map((imageUrl) => [
      `imageUrl ${imageUrl}`,
      [v15, { imageUrl }],
    ]),
  ),
  "extraFields that the form has": [v2, fox, { extraFields: { duration: 5 } }],
  "extraFields as a list": [v2, fox, { extraFields: { style: ["a"] } }],
  "extraFields of wrong values": [z, fox, { extraFields: { deep: {}, nan: Number.NaN, half: "\ud83e" } }],
  "extraFields with a path, and an empty file": [z, fox, { extraFields: { sourceImage: "./first", mask: nothing } }],
  "extraFields too long": [v2, fox, { extraFields: { note: tooLong } }],
  "option idempotencykey": [v2, fox, { idempotencykey: secret }],
  "options as a text": [v2, fox, "order-42"],
  "options null": [v2, fox, null],
  "options as a promise": [v2, fox, Promise.resolve({ idempotencyKey: "order-42" })],
  "options as a Map": [v2, fox, new Map([["idempotencyKey", "order-42"]])],
  "signal as an object": [v2, fox, { signal: { aborted: false } }],
  "signal as a controller": [v2, fox, { signal: new AbortController() }],
  "headers.Content-Type": [v2, fox, { headers: { "Content-Type": "text/plain" } }],
  "headers.Authorization next to an API key": [v2, fox, { headers: { Authorization: secret } }],
  "idempotencyKey and no store": [v2, fox, { idempotencyKey: "order-42" }],
  "idempotencyKey undefined": [v2, fox, { idempotencyKey: undefined }],
  "idempotencyKey empty": [v2, fox, { idempotencyKey: "" }],
  "unchecked as text": [v2, fox, { unchecked: "false" }],
  "unchecked, a path as model": ["v1/x", fox, { unchecked: true }],
  "unchecked, a list of texts": ["vidmodelv9", { prompt: ["A fox"] }, { unchecked: true }],
  "unchecked, blank": ["vidmodelv9", { prompt: " ", mood: "" }, { unchecked: true }],
  "unchecked, too long": ["vidmodelv9", { note: tooLong }, { unchecked: true, extraFields: { x: tooLong } }],
  "unchecked, a field twice": ["vidmodelv9", { style: "a" }, { unchecked: true, extraFields: { style: "b" } }],
};

/** Sources of fileFrom, which each entry point rejects, and options. */
const sources: Readonly<Record<string, () => readonly [source: unknown, options?: object]>> = {
  nothing: () => [undefined],
  null: () => [null],
  "a number": () => [7],
  "an object": () => [{ path: "a.png" }],
  "a promise": () => [Promise.resolve(png)],
  "an empty Blob": () => [new Blob([])],
  "a text": () => [Buffer.from("hello")],
  "a clip": () => [Buffer.from("\0\0\0\x18ftypmp42")],
  "a path that is not there": () => ["nope.png"],
  "a path of Windows": () => ["C:\\first.png"],
  "a file URL that is not there": () => [new URL("file:///tmp/nope.png")],
  "a file URL of another host": () => ["file://host/a.png"],
  "a directory": () => [place],
  "a text file": () => [join(place, "a.txt")],
  "an empty file": () => [join(place, "empty.png")],
  "a page in a Response": () => [new Response("<html>", { headers: { "content-type": "text/html" } })],
  "a page that calls itself an image": () => [
    new Response("\n <!doctype html>", { headers: { "content-type": "a/b" } }),
  ],
  "an empty Response": () => [new Response(null)],
  "a Response with HTTP 404": () => [new Response("x", { status: 404 })],
  "a Response that was read": () => [lockedResponse()],
  "a stream that is being read": () => [lockedResponse().body],
  "a Response that is cut": () => [new Response(gif, { headers: { "content-length": "7" } })],
  "a Response whose encoding fetch may have cut": () => [new Response(gif, { headers: { "content-encoding": "br" } })],
  "a data URI without data": () => ["data:image/png;base64"],
  "a data URI that is no Base64": () => ["data:image/png;base64,!!"],
  "a private host": () => ["http://10.0.0.1/a.png"],
  "a URL with a password": () => ["https://a:b@media.example/a.png"],
  "an ftp URL": () => ["ftp://media.example/a.png"],
  "a URL whose server is down": () => ["https://a.example/1", { fetch: () => Promise.reject(connectionRefused) }],
  "too large": () => [png, { maxBytes: 4 }],
  "option filename": () => [png, { filename: "a.png" }],
  "maxBytes NaN": () => [png, { maxBytes: Number.NaN }],
};

const lockedResponse = (locked = new Response(gif)) => (locked.body?.getReader(), locked);

/** Calls that send nothing. */
const calls: Readonly<Record<string, Mistake>> = {
  "generate: no such host": () => generateAt("https://media.invalid"),
  "generate: no server": () => generateAt("http://127.0.0.1:9"),
  "fileStore()": (_, { fileStore }) => fileStore(),
  "createMediaGen: HTTPS_PROXY": (_, { createMediaGen }) => {
    vi.stubEnv("HTTPS_PROXY", `socks5://user:${secret}@proxy.example`);
    try {
      return createMediaGen({ baseUrl: "https://media.example" });
    } finally {
      vi.unstubAllEnvs();
    }
  },
  "apiKey with a line break": () => checkAt(lost, { apiKey: `${secret}\nb` }),
  "apiKey with a letter beyond ASCII": () => checkAt(lost, { apiKey: `${secret}é` }),
  "apiKey with a space": () => checkAt(lost, { apiKey: ` ${secret}` }),
  "apiKey empty": () => checkAt(lost, { apiKey: "" }),
  "generate: a model of the other kind": (media) => media.video.generate(z, fox),
  "generate: idempotencyKey and another header": () =>
    withoutKey().image.generate("imgmodelz", fox, { ...keyed, headers: { "idempotency-key": "b" } }),
  "generate: a key with a damaged entry": () => keyedWith("get", new SyntaxError("damaged")),
  "generate: a key whose entry cannot be read now": () => keyedWith("get", new Error("offline")),
  "generate: the store fails": () => keyedWith("write", new Error("disk full")),
  "media.task(undefined)": (media) => media.task(undefined),
  "media.task(text)": (media) => media.task("video-123"),
  "media.task(promise)": (media) => media.task(Promise.resolve({})),
  "media.task({})": (media) => media.task({}),
  "media.task of another origin": (media) => media.task({ ...saved, origin: "https://other.example" }),
  "media.task of version 1": (media) => media.task({ ...saved, version: 1 }),
  "media.task: kind audio": (media) => media.task({ ...saved, kind: "audio" }),
  "media.video.task()": (media) => media.video.task(),
  "media.image.task: resultcount": (media) => media.image.task("t-1", { resultcount: 4 }),
  "media.image.task: resultCount 1.5": (media) => media.image.task("t-1", { resultCount: 1.5 }),
  "media.video.query()": (media) => media.video.query(),
  "media.video.query: unknown option": (media) => media.video.query("t-1", { moreTaskinfo: true }),
  "media.video.query: headers null": (media) => media.video.query("t-1", { headers: null }),
  "media.video.delete(text)": (media) => media.video.delete("t-1"),
  "media.video.delete([])": (media) => media.video.delete([]),
  "waitAll(promises)": (_, { waitAll }) => waitAll([Promise.resolve(1)]),
  "waitAll: waitTimeout": (media, { waitAll }) => waitAll([media.task(saved)], { waitTimeout: 5 }),
  "download(undefined)": (_, { download }) => download(undefined, "out"),
  "download(promise)": (media, { download }) => download(Promise.resolve(media.task(saved)), "out"),
  "download(JSON)": (_, { download }) => download(saved, "out"),
  "streams(undefined)": (_, { streams }) => streams(undefined),
  "recover without a store": (media) => media.recover(),
  "recover: signal": (media) => media.recover({ signal: 5 }),
  "resolve: no such generation": () => withStore().resolve("nope", "notCreated"),
  "resolve: no outcome": () => withStore().resolve("nope", {} as never),
  "fieldsOf: no such model": (_, { fieldsOf }) => fieldsOf("vidmodelv3"),
  "validate: a model that is no text": (_, { validate }) => expectIssues(validate(7, {})),
  "createHttpClient({})": () => createHttpClient({}),
  "createHttpClient: retries": () => createHttpClient({ baseUrl: secret, retries: 2 } as object),
};

const response =
  (status: number, headers: Record<string, string> = {}, body = ""): Reply =>
  () =>
    new Response(body, { status, headers });
const envelope =
  (code: number, status = 200, msg = "no"): Reply =>
  () =>
    Response.json({ code, msg }, { status });
const badCertificate = fails(fetchError({ code: "CERT_HAS_EXPIRED" }));
const reset = fails(fetchError({ code: "ECONNRESET", syscall: "read" }));

/** What a service does with a generation. */
const generations: Readonly<Record<string, readonly [Reply, FakeOptions?]>> = {
  "9999": [rejection],
  "9000": [envelope(9000, 200, "5 credits are missing")],
  "9000 under HTTP 429": [envelope(9000, 429)],
  "9000 under HTTP 503": [envelope(9000, 503)],
  "HTTP 400": [response(400, {}, "seed is not supported")],
  "HTTP 401": [response(401)],
  "HTTP 401 without a key": [response(401), { apiKey: undefined }],
  "9999 without a key": [rejection, { apiKey: undefined }],
  "HTTP 401 with an envelope": [envelope(9999, 401, "wrong API key")],
  "HTTP 403": [response(403)],
  "HTTP 404": [response(404, {}, "<html>")],
  "HTTP 404 with an envelope": [envelope(9999, 404, "no such path")],
  "HTTP 413": [response(413)],
  "HTTP 429": [response(429, { "retry-after": "0" })],
  "HTTP 429 for an hour": [response(429, { "retry-after": "3600" })],
  "HTTP 501": [response(501)],
  "HTTP 408": [response(408)],
  "HTTP 409": [response(409)],
  "HTTP 500": [lost],
  "HTTP 503": [response(503, { "retry-after": "0" })],
  "HTTP 302": [response(302, { location: "/login" })],
  "an HTML page": [response(200, { "content-type": "text/html" }, "<html>")],
  "an empty body": [response(200)],
  "an unknown code": [envelope(1001, 200, "?")],
  "no taskid": [() => success({})],
  "no connection": [neverSent],
  "a bad certificate": [badCertificate],
  "no TLS": [fails(fetchError({ code: "ERR_SSL_WRONG_VERSION_NUMBER", reason: "wrong version number" }))],
  "a reset": [reset],
  "an outcome that is unknown, with a store": [lost, { store: sdk.memoryStore() }],
};

const pending: Reply = () => success({ taskid: "t-1", url: [], image_status: 1 });
const done: Reply = () => success({ taskid: "t-1", url: [`${origin}/1.png`], image_status: 2 });
const wait = (task: sdk.Task) => task.wait({ waitTimeoutMs: 1_800_000 });
const drain = async (task: sdk.Task) => {
  for (const { stream } of await sdk.streams(task)) await new Response(stream).arrayBuffer();
};

/** What methods of a task end in. Its generation was billed, whatever the request that failed. */
const tasks: Readonly<
  Record<string, readonly [(task: sdk.Task, media: sdk.MediaGen) => unknown, readonly Reply[], FakeOptions?]>
> = {
  "check: 9999": [(task) => task.check(), [rejection]],
  "check: 9000": [(task) => task.check(), [envelope(9000)]],
  "check: HTTP 401": [(task) => task.check(), [response(401)]],
  "check: HTTP 404": [(task) => task.check(), [response(404)]],
  "check: HTTP 302": [(task) => task.check(), [response(302)]],
  "check: HTTP 429": [(task) => task.check(), [response(429)]],
  "check: HTTP 500": [(task) => task.check(), [lost]],
  "check: an HTML page": [(task) => task.check(), [response(200, {}, "<html>")]],
  "check: no connection": [(task) => task.check(), [neverSent]],
  "check: a bad certificate": [(task) => task.check(), [badCertificate]],
  "check: signal": [(task) => task.check({ signal: secret as never }), []],
  "query: HTTP 401": [(_, media) => media.image.query("t-1"), [response(401)]],
  "query: a reset": [(_, media) => media.image.query("t-1"), [reset]],
  "delete: HTTP 401": [(task) => task.delete(), [response(401)]],
  "delete: HTTP 500": [(task) => task.delete(), [lost]],
  "delete: 9999 after HTTP 429": [(task) => task.delete(), [response(429), rejection], { retries: 1 }],
  "delete: 9999 after a lost response": [(task) => task.delete(), [lost, rejection], { retries: 1 }],
  "wait: a timeout": [wait, [pending], { passing: ["pause", "limit"] }],
  "wait: a timeout, the last query failed": [wait, [lost], { passing: ["pause", "limit"] }],
  "wait: failed": [wait, [pending], { statuses: { failed: [1] } }],
  "wait: HTTP 401": [wait, [response(401)]],
  "wait: timeout": [(task) => task.wait({ timeout: 5 } as object), []],
  "wait: waitTimeoutMs as a text": [(task) => task.wait({ waitTimeoutMs: "5s" as never }), []],
  "wait: onUpdate as a number": [(task) => task.wait({ onUpdate: 5 as never }), []],
  "wait: a classify that is wrong": [wait, [pending], { classify: () => "done" as never }],
  "blobs: no results": [(task) => sdk.blobs(task), [pending]],
  "blobs: HTTP 404": [(task) => sdk.blobs(task), [done, response(404), done, response(404)]],
  "blobs: HTTP 500": [(task) => sdk.blobs(task), [done, lost]],
  "blobs: no connection": [(task) => sdk.blobs(task), [done, neverSent]],
  "blobs: too large": [(task) => sdk.blobs(task, { maxBytes: 1 }), [done, response(200, {}, "ab")]],
  "blobs: maxbytes": [(task) => sdk.blobs(task, { maxbytes: 5 } as object), [done]],
  "blobs: stallTimeoutMs NaN": [(task) => sdk.blobs(task, { stallTimeoutMs: Number.NaN }), [done]],
  "streams: HTTP 500": [drain, [done, lost]],
  "download: HTTP 500": [(task) => sdk.download(task, place), [done, lost]],
  "download: no target": [(task) => sdk.download(task, undefined as never), [done]],
  "download: an empty target": [(task) => sdk.download(task, ""), [done]],
  "download: a name that is no file name": [(task) => sdk.download(task, place, { name: "../x" }), [done]],
  "download: override": [(task) => sdk.download(task, place, { override: true } as object), [done]],
};

/** What a call ends in whose key, or whose generation, an earlier call has. */
const later: Readonly<Record<string, readonly [Mistake, readonly Reply[]]>> = {
  "resolve: the task of another generation": [(media, id) => media.resolve(id, "notCreated"), []],
  "idempotencyKey with another form": [(media) => media.generate(z, { prompt: "A hare" }, keyed), []],
  "idempotencyKey with another model": [(media) => media.generate(v4, fox, keyed), []],
  "idempotencyKey of unknown outcome": [(media) => media.generate(z, fox, keyed), [lost]],
};

const keyed = { idempotencyKey: "order-42" };
const generateAt = (baseUrl: string) =>
  sdk.createMediaGen({ baseUrl, apiKey: "k", retries: 0 }).image.generate("imgmodelz", fox);
const withoutKey = () => clientOf([], { apiKey: undefined }).media;
const withStore = () => clientOf([], { store: sdk.memoryStore() }).media;
const checkAt = (reply: Reply, options: FakeOptions) => clientOf([reply], options).media.image.task("t-1").check();
const keyedWith = (method: "get" | "write", error: Error) =>
  clientOf([], { store: { ...sdk.memoryStore(), [method]: () => Promise.reject(error) } }).generate("order-42");
const expectIssues = (issues: readonly sdk.Issue[]) => Promise.reject(new sdk.InvalidRequestError("validate", issues));

/** The words for models and limits that the spec decides, and those for them on the page, which no new model and no new limit changes. */
const models = sdk.listModels();
const fields = models.flatMap(({ form }) => form.fields);
const ofSpec: readonly (readonly [words: string, onPage: string])[] = [
  [models.map(({ model }) => model).join(", "), "MODELS"],
  [models.flatMap(({ kind, model }) => (kind === "video" ? model : [])).join(", "), "VIDEO MODELS"],
  ...fields.map(({ expected }) => [expected, expected.replace(/(?<=\b(at most|from|to|with) )\d+/g, "N")] as const),
];

/** Returns what a person reads of a call that is rejected, and what a program does. */
async function pageOf(run: () => unknown, events?: readonly sdk.MediaGenEvent[]): Promise<string> {
  const error = await errorOf((async () => run())());
  if (events) expect(events.filter((one) => one.type === "failed" && one.error === error)).toHaveLength(1);
  if (!sdk.MediaGenError.is(error)) return expect.fail(`not rejected: ${shown(error)}`);
  const { name, message, advice, billed, isRetryable } = error;
  if (!(error instanceof sdk.InvalidRequestError)) expect(message).toContain(advice);
  expect(advice).toMatch(/\.$/);
  expect(shown(error)).not.toContain(secret);
  const issues = error instanceof sdk.InvalidRequestError ? error.issues.map((one) => `${one.field} ${one.code}`) : [];
  const words = [name, `billed: ${billed}`, ...(isRetryable ? ["retryable"] : []), ...issues].join(", ");
  return ofSpec
    .reduce((text, [words, onPage]) => text.replaceAll(words, onPage), `${message}\n(${words})`)
    .replaceAll(place, "/place")
    .replace(/[\da-f]{8}-[\da-f-]{27}/g, "ID")
    .replace(/t-\d+-1/g, "t-1");
}

test("every error says in plain English what happened, what it means for the money, and what to do", async () => {
  await Promise.all([writeFile(join(place, "a.txt"), "text"), writeFile(join(place, "empty.png"), "")]);
  const rows: string[] = [];
  const add = async (name: string, run: () => unknown, events?: readonly sdk.MediaGenEvent[]) =>
    void rows.push(`# ${name}\n${await pageOf(run, events)}\n`);
  for (const [name, options] of Object.entries(clients))
    await add(`createMediaGen: ${name}`, () => sdk.createMediaGen(options as sdk.NodeMediaGenOptions));
  for (const [name, [model, form, options]] of Object.entries(forms)) {
    const { media, sent, events } = clientOf();
    const { generate }: { readonly generate: Mistake } = name.startsWith("unchecked") ? media.video : media;
    await add(`generate: ${name}`, () => generate(model, form, options), events);
    expect(sent(), name).toBe(0);
  }
  for (const [name, source] of Object.entries(sources)) {
    const pages = [sdk.fileFrom, fileFromAnywhere].map((read: Mistake) => pageOf(() => read(...source())));
    const [here, anywhere] = await Promise.all(pages);
    rows.push(`# fileFrom: ${name}\n${here}\n${here === anywhere ? "" : `Without Node: ${anywhere}\n`}`);
  }
  for (const [name, run] of Object.entries(calls)) {
    const { media, sent } = clientOf();
    await add(name, () => run(media, sdk));
    expect(sent(), name).toBe(0);
  }
  for (const [name, [reply, options]] of Object.entries(generations)) {
    const { generate, events } = clientOf([reply], options);
    await add(`generate: ${name}`, () => generate(options?.store && "order-42"), events);
  }
  for (const [name, [run, replies, options]] of Object.entries(tasks)) {
    const { media, events } = clientOf(replies, options);
    const isQuery = name.startsWith("query");
    await add(name, () => run(media.task(saved), media), events);
    for (const event of events)
      if ("error" in event && sdk.MediaGenError.is(event.error))
        expect([event.error.billed, event.error.task?.taskid], name).toEqual(["yes", isQuery ? undefined : "t-1"]);
  }
  for (const [name, [run, replies]] of Object.entries(later)) {
    const { media, generate, sent, events } = clientOf(replies, { store: sdk.memoryStore() });
    const first = await errorOf(generate("order-42"));
    // The cast: both the task and the error have it.
    await add(name, () => run(media, (first as sdk.Task).generationId), events);
    expect(sent(), name).toBe(1);
  }
  await rm(place, { recursive: true });
  await expect(rows.join("\n")).toMatchFileSnapshot("messages.txt");
});
