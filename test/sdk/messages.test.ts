import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { fileFrom as fileFromAnywhere } from "@mediagen/sdk";
import { createHttpClient } from "@mediagen/sdk/http";
import * as sdk from "@mediagen/sdk/node";
import { formSchema } from "@mediagen/sdk/schema";
import { expect, test, vi } from "vitest";
import { shown } from "../shown.ts";
import {
  clientOf,
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
import { clients, forms, fox, place, saved, secret, sources } from "./mistakes.ts";

// The owner of what errors say, and of what they mean for the money: messages.txt has each with its
// fields.

/** A call that is made wrong, as a program without types may make it. */
// oxlint-disable-next-line typescript/no-explicit-any -- each call breaks a type on purpose
type Mistake = (...given: any[]) => unknown;

/** Calls that send nothing. */
const calls: Readonly<Record<string, Mistake>> = {
  "generate: no such host": () => generateAt("https://media.invalid"),
  "generate: no server": () => generateAt("http://127.0.0.1:9"),
  "fileStore()": (_, { fileStore }) => fileStore(),
  ...Object.fromEntries(
    [
      ...[
        `ALL_PROXY=socks5://user:${secret}@proxy.example`,
        `HTTPS_PROXY=http://user:${secret}@pro xy`,
      ],
      ...["https_proxy=http://user:100%@proxy", `HTTPS_PROXY=http://user:1#${secret}@proxy`],
      ...[`HTTPS_PROXY=http://user:1?${secret}@proxy`, "HTTPS_PROXY=http://proxy:3128/path"],
    ].map((variable) => [
      `createMediaGen: ${variable.replace(secret, "SECRET")}`,
      () => createWith(variable),
    ]),
  ),
  "apiKey with a line break": () => checkAt(lost, { apiKey: `${secret}\nb` }),
  "apiKey with a letter beyond ASCII": () => checkAt(lost, { apiKey: `${secret}é` }),
  "apiKey with a space": () => checkAt(lost, { apiKey: ` ${secret}` }),
  "apiKey empty": () => checkAt(lost, { apiKey: "" }),
  "generate: a model of the other kind": (media) => media.video.generate("imgmodelz", fox),
  "generate: idempotencyKey and another header": () =>
    withoutKey().image.generate("imgmodelz", fox, {
      ...keyed,
      headers: { "idempotency-key": "b" },
    }),
  "generate: idempotencyKey undefined, with a store": () =>
    keyedAt({ store: sdk.memoryStore() }, { idempotencyKey: undefined }),
  "generate: idempotencyKey blank, with a store": () =>
    keyedAt({ store: sdk.memoryStore() }, { idempotencyKey: " " }),
  "generate: idempotencyKey undefined, without an API key": () =>
    keyedAt({ apiKey: undefined }, { idempotencyKey: undefined }),
  "generate: idempotencyKey that no header can carry": () =>
    keyedAt({ apiKey: undefined }, { idempotencyKey: "\u{1f98a}" }),
  "generate: idempotencyKey of two lines": () =>
    keyedAt({ apiKey: undefined }, { idempotencyKey: "a\nb" }),
  "generate: Idempotency-Key undefined": () =>
    keyedAt({ apiKey: undefined }, { headers: { "Idempotency-Key": undefined } }),
  "generate: Idempotency-Key empty": () =>
    keyedAt({ apiKey: undefined }, { headers: { "Idempotency-Key": "" } }),
  "generate: a key with a damaged entry": () => keyedWith("get", new SyntaxError("damaged")),
  "generate: a key whose entry cannot be read now": () => keyedWith("get", new Error("offline")),
  "generate: the store fails": () => keyedWith("write", new Error("disk full")),
  "media.task(undefined)": (media) => media.task(undefined),
  "media.task(text)": (media) => media.task("video-123"),
  "media.task(promise)": (media) => media.task(Promise.resolve({})),
  "media.task({})": (media) => media.task({}),
  "media.task of another origin": (media) =>
    media.task({ ...saved, origin: "https://other.example" }),
  "media.task of version 1": (media) => media.task({ ...saved, version: 1 }),
  "media.task: kind audio": (media) => media.task({ ...saved, kind: "audio" }),
  ...Object.fromEntries(
    [{ taskid: "" }, { resultCount: 0 }, { createdAt: Number.NaN }, { createdAt: "yesterday" }].map(
      (wrong) => [
        `media.task: ${inspect(wrong)}`,
        (media: sdk.MediaGen) => media.task({ ...saved, ...wrong } as sdk.TaskJSON),
      ],
    ),
  ),
  "media.video.task()": (media) => media.video.task(),
  "media.image.task: resultcount": (media) => media.image.task("t-1", { resultcount: 4 }),
  "media.image.task: resultCount 1.5": (media) => media.image.task("t-1", { resultCount: 1.5 }),
  "media.video.query()": (media) => media.video.query(),
  "media.video.query: unknown option": (media) => media.video.query("t-1", { moreTaskinfo: true }),
  "media.video.query: headers null": (media) => media.video.query("t-1", { headers: null }),
  "media.video.query: headers.Content-Type": (media) =>
    media.video.query("t-1", { headers: wrongHeaders }),
  "media.video.delete: headers.Content-Type": (media) =>
    media.video.delete(["t-1"], { headers: wrongHeaders }),
  "task.check: headers.Content-Type": (media) => media.task(saved).check({ headers: wrongHeaders }),
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
  "resolve: no such generation": () => withStore().resolve("nope", "notCreated", { attempt: "a0" }),
  "resolve: no attempt": () => withStore().resolve("nope", "notCreated", {} as never),
  "resolve: an empty task id": () => withStore().resolve("nope", { taskid: "" }),
  "resolve: no outcome": () => withStore().resolve("nope", {} as never),
  "fieldsOf: no such model": (_, { fieldsOf }) => fieldsOf("vidmodelv3"),
  "validate: a model that is no text": (_, { validate }) => expectIssues(validate(7, {})),
  "formSchema: no such field": () => formSchema("imgmodelv45", { without: ["batchsiz"] as never }),
  "formSchema: witout": () => formSchema("imgmodelv45", { witout: [] } as object),
  "formSchema: no such model": () => formSchema("vidmodelx" as never),
  "formSchema: no such target": () =>
    formSchema("imgmodelz")["~standard"].jsonSchema.input({ target: "openapi-3.0" }),
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
  "no TLS": [
    fails(fetchError({ code: "ERR_SSL_WRONG_VERSION_NUMBER", reason: "wrong version number" })),
  ],
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
  Record<
    string,
    readonly [(task: sdk.Task, media: sdk.MediaGen) => unknown, readonly Reply[], FakeOptions?]
  >
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
  "query: 9999 after a lost response": [
    (_, media) => media.image.query("t-1"),
    [lost, rejection],
    { retries: 1 },
  ],
  "delete: HTTP 401": [(task) => task.delete(), [response(401)]],
  "delete: HTTP 500": [(task) => task.delete(), [lost]],
  "delete: 9999 after no connection": [
    (task) => task.delete(),
    [neverSent, rejection],
    { retries: 1 },
  ],
  "delete: 9999 after HTTP 429": [
    (task) => task.delete(),
    [response(429), rejection],
    { retries: 1 },
  ],
  "delete: 9999 after a lost response": [
    (task) => task.delete(),
    [lost, rejection],
    { retries: 1 },
  ],
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
  "download: a target with a NUL": [(task) => sdk.download(task, "out\0"), [done]],
  ...Object.fromEntries(
    ["../x", "a/b", "a\\b", "..", ".hidden", "", "a\0b", "a\nb", "C:x", 5, "火".repeat(67)].map(
      (name) => [
        `download: the name ${JSON.stringify(name)}`,
        [(task) => sdk.download(task, place, { name } as object), []],
      ],
    ),
  ),
  "download: another file": [
    (task) => sdk.download(task, join(place, "a.txt")),
    [done, response(200, {}, "ab")],
  ],
  "download: override": [(task) => sdk.download(task, place, { override: true } as object), [done]],
};

/** What a call ends in whose key, or whose generation, an earlier call has. */
const later: Readonly<Record<string, readonly [Mistake, readonly Reply[]]>> = {
  "resolve: the task of another generation": [
    (media, id) => media.resolve(id, { taskid: "t-2" }),
    [],
  ],
  "idempotencyKey with another form": [
    (media) => media.generate("imgmodelz", { prompt: "A hare" }, keyed),
    [],
  ],
  "idempotencyKey with another model": [(media) => media.generate("imgmodelv4", fox, keyed), []],
  "idempotencyKey of unknown outcome": [(media) => media.generate("imgmodelz", fox, keyed), [lost]],
};

const wrongHeaders = { "Content-Type": "text/plain" };
const keyed = { idempotencyKey: "order-42" };
function createWith(variable: string): unknown {
  const [name = "", value] = variable.split("=");
  vi.stubEnv(name, value);
  try {
    return sdk.createMediaGen({ baseUrl: "https://media.example" });
  } finally {
    vi.unstubAllEnvs();
  }
}
const generateAt = (baseUrl: string) =>
  sdk.createMediaGen({ baseUrl, apiKey: "k", retries: 0 }).image.generate("imgmodelz", fox);
const withoutKey = () => clientOf([], { apiKey: undefined }).media;
const withStore = () => clientOf([], { store: sdk.memoryStore() }).media;
const keyedAt = (client: FakeOptions, options: object) => {
  const { media, sent } = clientOf([], client);
  return media.image.generate("imgmodelz", fox, options).finally(() => expect(sent()).toBe(0));
};
const checkAt = (reply: Reply, options: FakeOptions) =>
  clientOf([reply], options).media.image.task("t-1").check();
const keyedWith = (method: "get" | "write", error: Error) =>
  clientOf([], { store: { ...sdk.memoryStore(), [method]: () => Promise.reject(error) } }).generate(
    "order-42",
  );
const expectIssues = (issues: readonly sdk.Issue[]) =>
  Promise.reject(new sdk.InvalidRequestError("validate", issues));

/**
 * The words for models and limits that the spec decides, and those for them on the page, which no
 * new model and no new limit changes.
 */
const models = sdk.listModels();
const fields = models.flatMap(({ form }) => form.fields);
const ofSpec: readonly (readonly [words: string, onPage: string])[] = [
  [models.map(({ model }) => model).join(", "), "MODELS"],
  [models.flatMap(({ kind, model }) => (kind === "video" ? model : [])).join(", "), "VIDEO MODELS"],
  ...fields.map(
    ({ expected }) =>
      [expected, expected.replace(/(?<=\b(at most|from|to|with) )\d+/g, "N")] as const,
  ),
];

/** Returns what a person reads of a call that is rejected, and what a program does. */
async function pageOf(run: () => unknown, events?: readonly sdk.MediaGenEvent[]): Promise<string> {
  const error = await errorOf((async () => run())());
  if (events)
    expect(events.filter((one) => one.type === "failed" && one.error === error)).toHaveLength(1);
  if (!(error instanceof sdk.MediaGenError)) return expect.fail(`not rejected: ${shown(error)}`);
  const { name, message, advice, billed, isRetryable } = error;
  if (!(error instanceof sdk.InvalidRequestError)) expect(message).toContain(advice);
  expect(advice).toMatch(/\.$/);
  expect(shown(error)).not.toContain(secret);
  const issues =
    error instanceof sdk.InvalidRequestError
      ? error.issues.map((one) => `${one.field} ${one.code}`)
      : [];
  expect(error.constructor).toHaveProperty("name", name);
  const { status, code, retryAfterMs } = error as Partial<sdk.ServiceError>;
  const facts = Object.entries({ status, code, retryAfterMs }).flatMap(([fact, value]) =>
    value === undefined ? [] : `${fact}: ${value}`,
  );
  const words = [
    name,
    `billed: ${billed}`,
    ...(isRetryable ? ["retryable"] : []),
    ...facts,
    ...issues,
  ].join(", ");
  return ofSpec
    .reduce((text, [words, onPage]) => text.replaceAll(words, onPage), `${message}\n(${words})`)
    .replaceAll(place, "/place")
    .replace(/[\da-f]{8}-[\da-f-]{27}/g, "ID")
    .replace(/t-\d+-1/g, "t-1");
}

test("every error says in plain English what happened, what it means for the money, and what to do", async () => {
  await Promise.all([
    writeFile(join(place, "a.txt"), "text"),
    writeFile(join(place, "empty.png"), ""),
  ]);
  const rows: string[] = [];
  const add = async (name: string, run: () => unknown, events?: readonly sdk.MediaGenEvent[]) =>
    void rows.push(`# ${name}\n${await pageOf(run, events)}\n`);
  for (const [name, options] of Object.entries(clients))
    await add(`createMediaGen: ${name}`, () =>
      sdk.createMediaGen(options as sdk.NodeMediaGenOptions),
    );
  for (const [name, [model, form, options]] of Object.entries(forms)) {
    const { media, sent, events } = clientOf();
    const { generate }: { readonly generate: Mistake } = name.startsWith("unchecked")
      ? media.video
      : media;
    await add(`generate: ${name}`, () => generate(model, form, options), events);
    expect(sent(), name).toBe(0);
  }
  for (const [name, source] of Object.entries(sources)) {
    const pages = [sdk.fileFrom, fileFromAnywhere].map((read: Mistake) =>
      pageOf(() => read(...source())),
    );
    const [here, anywhere] = await Promise.all(pages);
    rows.push(
      `# fileFrom: ${name}\n${here}\n${here === anywhere ? "" : `Without Node: ${anywhere}\n`}`,
    );
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
    const { media, events, sent } = clientOf(replies, options);
    const isQuery = name.startsWith("query");
    await add(name, () => run(media.task(saved), media), events);
    if (replies.length === 0) expect(sent(), name).toBe(0);
    for (const event of events)
      if ("error" in event && event.error instanceof sdk.MediaGenError)
        expect([event.error.billed, event.error.task?.taskid], name).toEqual([
          "yes",
          isQuery ? undefined : "t-1",
        ]);
  }
  for (const [name, [run, replies]] of Object.entries(later)) {
    const { media, generate, sent, events } = clientOf(replies, { store: sdk.memoryStore() });
    const first = await errorOf(generate("order-42"));
    // The cast: both the task and the error have it.
    await add(name, () => run(media, (first as sdk.Task).generationId), events);
    expect(sent(), name).toBe(1);
  }
  await expect(rows.join("\n")).toMatchFileSnapshot("messages.txt");
});
