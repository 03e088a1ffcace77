import https from "node:https";
import { join } from "node:path";
import { inspect } from "node:util";
import { directoryForAll } from "../temporary-directory.ts";
import { connectionRefused, origin } from "./fake-service.ts";

// What a program may pass by mistake. messages.txt has what it receives.

export const secret = "sk-live-0123456789";
export const fox = { prompt: "A fox" };
const v2 = "vidmodelv2";
const v15 = "vidmodelv15pro";
const v4 = "imgmodelv4";
const v45 = "imgmodelv45";
const z = "imgmodelz";
const tooLong = "\n".repeat(1_000_001);
const fileOf = (text: string, type: string) =>
  new File([Buffer.from(text, "latin1")], "first.png", { type });
const png = fileOf("\x89PNG\r\n\x1a\n\0\0\0\0", "image/png");
const gif = Buffer.from("GIF89a");
const empty = new Blob([], { type: "image/png" });
export const saved = { version: 2, kind: "image", taskid: "t-1", origin, resultCount: 1 } as const;
export const place: string = directoryForAll();

/** Options of a client. */
export const clients: Readonly<Record<string, unknown>> = {
  nothing: {},
  "an agent next to fetch": { baseUrl: origin, agent: new https.Agent(), fetch },
  null: null,
  "a key in their place": secret,
  "inherited, unknown": Object.create({ baseUrl: origin, nothing: 1 }),
  ...Object.fromEntries(
    [
      ...[{ baseURL: origin }, { apikey: secret }, { foo: 1 }, { apiKey: null }],
      ...[
        { baseUrl: "" },
        { baseUrl: "media.example" },
        { baseUrl: secret },
        { baseUrl: "ftp://media.example" },
      ],
      ...[
        { baseUrl: `http://me:${secret}@localhost` },
        { baseUrl: `http://localhost?key=${secret}` },
      ],
      ...[
        { baseUrl: "http://localhost/#a" },
        { baseUrl: "http://localhost/?" },
        { baseUrl: "http://localhost/#" },
      ],
      ...[
        { baseUrl: "http://media.example" },
        { allowHttp: "false" },
        { store: ".mediagen" },
        { store: {} },
      ],
      ...[
        { fetch: "node-fetch" },
        { onEvent: {} },
        { clock: Date.now },
        { headers: "x" },
        { headers: new Headers() },
      ],
      ...[
        { retries: -1 },
        { retries: Number.NaN },
        { queryTimeoutMs: "5s" },
        { generateTimeoutMs: Number.NaN },
      ],
      ...[{ maxQueriesInFlight: 0 }, { maxQueriesInFlight: "2" }, { resendGenerationAfter: 503 }],
      ...[
        { statuses: 3 },
        { statuses: { failed: 3 } },
        { statuses: { failed: ["3"] } },
        { statuses: { done: [1] } },
      ],
      ...[
        { headers: { "x-tenant": `${secret}\nb` } },
        { headers: { "x tenant": "a" } },
        { headers: { "x-n": 1 } },
      ],
      ...[
        { headers: { "Content-Type": "text/plain" } },
        { apiKey: "sk", headers: { Authorization: secret } },
      ],
      ...[
        { headers: { "Idempotency-Key": "order-1" } },
        { agent: `http://user:${secret}@proxy` },
        { agent: {} },
      ],
      ...[{ agent: null }, { resultCount: 1 }],
    ].map((options) => [
      inspect(options, { breakLength: Infinity }),
      { baseUrl: origin, ...options },
    ]),
  ),
};

/** Forms of a model with one more field. */
const of = (model: string, mistakes: readonly object[]) =>
  Object.fromEntries(
    mistakes.map((field) => [inspect(field), [model, { ...fox, ...field }] as const]),
  );

const unsetGetter = { get: () => undefined, enumerable: true };

/** Forms by what is wrong with them: a model, a form and options. */
export const forms: Readonly<
  Record<string, readonly [model: unknown, form?: unknown, options?: unknown]>
> = {
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
  ...of(v2, [
    ...[
      { ratio: "16x9" },
      { ratio: "wide" },
      { duration: "5" },
      { duration: 7 },
      { seed: 1.5 },
      { seed: Number.NaN },
    ],
    ...[
      { seed: 2 ** 53 },
      { seed: 5n },
      { fps: 23.5 },
      { fps: 2 ** 31 },
      { generate_audio: "yes" },
      { websearch: 1 },
    ],
    ...[{ execution_expires_after: 60 }, { foo: 1 }, { generateAudio: true }, { toString: "x" }],
  ]),
  ...of(v15, [{ ratio: " " }]),
  ...of(v4, [{ batchsize: 16 }]),
  ...of(v45, [{ resolution: "4k" }, { resolution: "1024*1024" }, { resolution: "1500x1500" }]),
  ...of(z, [{ resolution: "1024x1024" }]),
  "field promt": [v2, { promt: "A fox" }],
  "a prototype": [v2, JSON.parse('{"prompt":"x","__proto__":"x"}')],
  "several mistakes": [
    v2,
    { prompt: "x".repeat(8193), ratio: "16x9", duration: 0.5, generateAudio: true, seed: 1.5 },
  ],
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
  "sourceImage empty": [v2, { sourceImage: empty }],
  "sourceImage is a page": [v2, { sourceImage: fileOf("<html>", "text/html") }],
  "sourceImage is a text that calls itself an image": [
    v2,
    { sourceImage: fileOf("hello", "image/png") },
  ],
  "sourceImage is a clip": [v2, { sourceImage: fileOf("\0\0\0\x18ftypmp42", "video/mp4") }],
  "sourceImage as a list with a gap": [v2, { sourceImage: [png, undefined] }],
  "sourceImage as a list in a list": [v2, { sourceImage: [[png]] }],
  "no source images": [v2, { sourceImage: [] }],
  "a list of one source image, where the model takes one": [v4, { ...fox, sourceImage: [png] }],
  "the name of a part": [v2, { "sourceImage.items": [png] }],
  ...Object.fromEntries(
    [
      "first.png",
      "C:\\a.png",
      "ftp://x/a.png",
      "",
      "//x/a.png",
      "https://",
      "data:image/png;base64,AAAA",
    ]
      .concat(
        "https://x/a.png https://x/b.png",
        "https://x/a.png, https://x/b.png",
        " https://x/a.png",
      )
      .map((imageUrl) => [`imageUrl ${JSON.stringify(imageUrl)}`, [v4, { ...fox, imageUrl }]]),
  ),
  ...Object.fromEntries(
    ["https://x/a.png,a.png", "a.png,https://x/a.png", "https://x/a.png,", ",https://x/a.png"].map(
      (imageUrl) => [`imageUrl ${imageUrl}`, [v15, { imageUrl }]],
    ),
  ),
  "extraFields that the form has": [v2, fox, { extraFields: { duration: 5 } }],
  "extraFields as a list": [v2, fox, { extraFields: { style: ["a"] } }],
  "extraFields of wrong values": [
    z,
    fox,
    { extraFields: { deep: {}, nan: Number.NaN, half: "\ud83e" } },
  ],
  "extraFields with a path, and an empty file": [
    z,
    fox,
    { extraFields: { sourceImage: "./first", mask: empty } },
  ],
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
  "idempotencyKey undefined, by a getter": [
    v2,
    fox,
    Object.defineProperty({}, "idempotencyKey", unsetGetter),
  ],
  "idempotencyKey inherited and undefined": [v2, fox, Object.create({ idempotencyKey: undefined })],
  "idempotencyKey blank": [v2, fox, { idempotencyKey: " \n" }],
  "idempotencyKey as a number": [v2, fox, { idempotencyKey: 7 }],
  "idempotencyKey empty": [v2, fox, { idempotencyKey: "" }],
  "no such model, unchecked": ["vidmodelv9", fox, { unchecked: true }],
  "unchecked as text": [v2, fox, { unchecked: "false" }],
  "unchecked, a path as model": ["v1/x", fox, { unchecked: true }],
  "unchecked, no model": ["", fox, { unchecked: true }],
  "unchecked, a number as model": [7, fox, { unchecked: true }],
  "unchecked, a model that leaves the path": ["../images/imgmodelz", fox, { unchecked: true }],
  "unchecked, an operation that is no model": ["infobytaskid", fox, { unchecked: true }],
  "unchecked, a text as form": ["vidmodelv9", "A fox", { unchecked: true }],
  "unchecked, wrong values": [
    "vidmodelv9",
    { camera: { x: 1 }, seed: Number.NaN, mask: empty, sourceImage: "./first" },
    { unchecked: true },
  ],
  "unchecked, a list of texts": ["vidmodelv9", { prompt: ["A fox"] }, { unchecked: true }],
  "unchecked, blank": ["vidmodelv9", { prompt: " ", mood: "" }, { unchecked: true }],
  "unchecked, too long": [
    "vidmodelv9",
    { note: tooLong },
    { unchecked: true, extraFields: { x: tooLong } },
  ],
  "unchecked, a field twice": [
    "vidmodelv9",
    { style: "a" },
    { unchecked: true, extraFields: { style: "b" } },
  ],
};

/** Sources of fileFrom, which each entry point rejects, and options. */
export const sources: Readonly<Record<string, () => readonly [source: unknown, options?: object]>> =
  {
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
    "a page in a Response": () => [
      new Response("<html>", { headers: { "content-type": "text/html" } }),
    ],
    "a page that calls itself an image": () => [
      new Response("\n <!doctype html>", { headers: { "content-type": "a/b" } }),
    ],
    "an empty Response": () => [new Response(null)],
    "a Response with HTTP 404": () => [new Response("x", { status: 404 })],
    "a Response that was read": () => [lockedResponse()],
    "a Response that was read to its end": () => [consumed],
    "a stream that is being read": () => [lockedResponse().body],
    "a Response that is cut": () => [new Response(gif, { headers: { "content-length": "7" } })],
    "a Response whose encoding fetch may have cut": () => [
      new Response(gif, { headers: { "content-encoding": "br" } }),
    ],
    "a data URI without data": () => ["data:image/png;base64"],
    "a data URI that is no Base64": () => ["data:image/png;base64,!!"],
    "a data URI of a text": () => ["data:,hello"],
    "a private host": () => ["http://10.0.0.1/a.png"],
    "a URL with a password": () => ["https://a:b@media.example/a.png"],
    "an ftp URL": () => ["ftp://media.example/a.png"],
    "a URL whose server is down": () => [
      "https://a.example/1",
      { fetch: () => Promise.reject(connectionRefused) },
    ],
    "too large": () => [png, { maxBytes: 4 }],
    "option filename": () => [png, { filename: "a.png" }],
    "maxBytes NaN": () => [png, { maxBytes: Number.NaN }],
  };

const consumed = new Response(gif);
await consumed.arrayBuffer();
function lockedResponse(): Response {
  const locked = new Response(gif);
  locked.body?.getReader();
  return locked;
}
