import { tmpdir } from "node:os";
import { createMediaGenProvider } from "@mediagen/ai-sdk-provider";
import { blobs, fileFrom, type MediaGen, MediaGenError, memoryStore, streams, type Task } from "@mediagen/sdk";
import { download } from "@mediagen/sdk/node";
import { experimental_generateVideo as generateVideo, generateImage } from "ai";
import { expect, onTestFinished, test, vi } from "vitest";
import { errorOf } from "../ai-sdk/desk.ts";
import {
  clientOf,
  connectionRefused,
  created,
  fails,
  type FakeOptions,
  fetchError,
  lost,
  neverSent,
  origin,
  rejection,
  type Reply,
  success,
} from "../sdk/fake-service.ts";

type Meaning = readonly [name: string, billed: MediaGenError["billed"], isRetryable: boolean];

const http =
  (status: number, headers: Record<string, string> = {}, body = ""): Reply =>
  () =>
    new Response(body, { status, headers });
const noCredits = (status: number) => () => Response.json({ code: 9000, msg: "no" }, { status });
const rejectedCertificate = fails(fetchError({ code: "CERT_HAS_EXPIRED" }));
const failing = (method: "get" | "write", error: Error) => ({
  store: { ...memoryStore(), [method]: () => Promise.reject(error) },
});

/** What a generation ends in, by what happened to it, and how many forms the AI SDK then sends with `maxRetries: 3`. */
const generations: readonly (readonly [what: string, reply: Reply, ...Meaning, sent: number])[] = [
  ["finds no server", neverSent, "ConnectionError", "no", true, 4],
  ["meets a certificate that expired", rejectedCertificate, "ConnectionError", "no", false, 1],
  ["gets HTTP 429", http(429, { "retry-after": "0" }), "RateLimitError", "no", true, 4],
  ["gets HTTP 429 for an hour", http(429, { "retry-after": "3600" }), "RateLimitError", "no", true, 1],
  ["gets 9999", rejection, "ServiceError", "no", false, 1],
  ["gets 9000", noCredits(200), "InsufficientCreditsError", "no", false, 1],
  ["gets 9000 under HTTP 429", noCredits(429), "InsufficientCreditsError", "no", false, 1],
  ["gets 9000 under HTTP 503", noCredits(503), "InsufficientCreditsError", "no", false, 1],
  ["gets HTTP 400", http(400), "ServiceError", "no", false, 1],
  ["gets HTTP 401", http(401), "AuthenticationError", "no", false, 1],
  ["gets HTTP 403", http(403), "AuthenticationError", "no", false, 1],
  ["gets HTTP 404", http(404), "NotFoundError", "no", false, 1],
  ["gets HTTP 501", http(501), "ServiceError", "no", false, 1],
  ["gets HTTP 408", http(408), "OutcomeUnknownError", "maybe", false, 1],
  ["gets HTTP 409", http(409), "OutcomeUnknownError", "maybe", false, 1],
  ["gets HTTP 500", lost, "OutcomeUnknownError", "maybe", false, 1],
  ["gets HTTP 503", http(503, { "retry-after": "0" }), "OutcomeUnknownError", "maybe", false, 1],
  ["is redirected", http(302, { location: "/" }), "OutcomeUnknownError", "maybe", false, 1],
  ["gets a page", http(200, {}, "<html>"), "OutcomeUnknownError", "maybe", false, 1],
  ["gets no taskid", () => success({}), "OutcomeUnknownError", "maybe", false, 1],
  ["is reset", fails(fetchError({ code: "ECONNRESET", syscall: "read" })), "OutcomeUnknownError", "maybe", false, 1],
];

test.for(generations)("a generation that %s", async ([, reply, name, billed, isRetryable, sent]) => {
  // The AI SDK waits some seconds between its tries.
  vi.stubGlobal("setTimeout", (run: () => void) => setImmediate(run));
  onTestFinished(() => void vi.unstubAllGlobals());
  const { media, generate, sent: direct } = clientOf([reply]);
  const error = await errorOf(generate());
  expect(error).toMatchObject({ name, billed, isRetryable, advice: expect.stringMatching(/\.$/) });
  expect((error as MediaGenError).message).toContain((error as MediaGenError).advice);
  expect((error as MediaGenError).task).toBeUndefined();
  const mediagen = createMediaGenProvider({ media });
  const before = direct();
  const call = { prompt: "A fox", maxRetries: 3 };
  await errorOf(generateImage({ model: mediagen.image("imgmodelz"), ...call }));
  expect(direct() - before).toBe(sent);
  await errorOf(generateVideo({ model: mediagen.video("vidmodelv2"), ...call }));
  expect(direct() - before).toBe(2 * sent);
});

/** What calls end in that send nothing, because of their form, their key or their store. */
const unsent: Readonly<Record<string, readonly [...Meaning, run: () => Promise<unknown>]>> = {
  "a form that is not valid": ["InvalidRequestError", "no", false, () => clientOf().generate(undefined, "")],
  "a key without a store": ["InvalidRequestError", "no", false, () => clientOf().generate("order-42")],
  "a key of another form": ["InvalidRequestError", "maybe", false, () => again([], "A hare")],
  "a key of unknown outcome": ["OutcomeUnknownError", "maybe", false, () => again([lost])],
  "a key whose record is damaged": [
    "StoreError",
    "maybe",
    false,
    () => clientOf([], failing("get", new SyntaxError("damaged"))).generate("order-42"),
  ],
  "a generation that cannot be recorded": [
    "StoreError",
    "no",
    true,
    () => clientOf([], failing("write", new Error("disk full"))).generate(),
  ],
  "a key whose record cannot be read now": [
    "StoreError",
    "no",
    true,
    () => clientOf([], failing("get", new Error("offline"))).generate("order-42"),
  ],
  "a source image that is gone": ["ServiceError", "no", false, () => fileFrom(new Response("", { status: 404 }))],
  "a source image whose server is down": [
    "ConnectionError",
    "no",
    true,
    () => fileFrom("https://media.test/a.png", { fetch: () => Promise.reject(connectionRefused) }),
  ],
  "the resolution of a generation that is not recorded": [
    "InvalidRequestError",
    "maybe",
    false,
    () => clientOf([], { store: memoryStore() }).media.resolve("nope", "notCreated"),
  ],
};

/** Generates twice with a key and returns the second call. */
async function again(replies: readonly Reply[], prompt?: string): Promise<unknown> {
  const { generate, sent } = clientOf(replies, { store: memoryStore() });
  await generate("order-42").catch(() => undefined);
  const before = sent();
  return generate("order-42", prompt).finally(() => expect(sent()).toBe(before));
}

test.each(Object.entries(unsent))("%s", async (_, [name, billed, isRetryable, run]) => {
  const error = await errorOf(run());
  expect(error).toMatchObject({ name, billed, isRetryable, advice: expect.stringMatching(/\.$/) });
});

const pending: Reply = () => success({ taskid: "t-1", url: [], image_status: 1 });
const done: Reply = () => success({ taskid: "t-1", url: [`${origin}/1.png`], image_status: 2 });
const wait = (task: Task) => task.wait({ waitTimeoutMs: 60_000 });
const drain = async (task: Task) => {
  for (const { stream } of await streams(task)) await new Response(stream).arrayBuffer();
};

/** What the methods of a task end in. The generation was billed, whatever the request that failed. */
const afterCreation: readonly (readonly [
  what: string,
  run: (task: Task<"image">) => Promise<unknown>,
  replies: readonly Reply[],
  name: string,
  isRetryable: boolean,
  options?: FakeOptions,
])[] = [
  ["check: HTTP 401", (task) => task.check(), [http(401)], "AuthenticationError", false],
  ["check: HTTP 404", (task) => task.check(), [http(404)], "NotFoundError", false],
  ["check: HTTP 429", (task) => task.check(), [http(429)], "RateLimitError", true],
  ["check: HTTP 500", (task) => task.check(), [lost], "ServiceError", true],
  ["check: HTTP 302", (task) => task.check(), [http(302)], "ServiceError", false],
  ["check: a page", (task) => task.check(), [http(200, {}, "<html>")], "ServiceError", true],
  ["check: 9000", (task) => task.check(), [noCredits(200)], "InsufficientCreditsError", false],
  ["check: the network", (task) => task.check(), [neverSent], "ConnectionError", true],
  ["check: the certificate", (task) => task.check(), [rejectedCertificate], "ConnectionError", false],
  ["check: a wrong option", (task) => task.check({ signal: 5 as never }), [], "InvalidRequestError", false],
  ["wait: HTTP 401", wait, [http(401)], "AuthenticationError", false],
  ["wait: a failed task", wait, [pending], "TaskFailedError", false, { statuses: { failed: [1] } }],
  ["wait: the deadline", wait, [pending], "WaitTimeoutError", true, { passing: ["pause", "limit"] }],
  ["wait: a wrong option", (task) => task.wait({ waitTimeoutMs: -1 }), [], "InvalidRequestError", false],
  ["delete: HTTP 500", (task) => task.delete(), [lost], "ServiceError", true],
  ["blobs: no results", (task) => blobs(task), [pending], "InvalidRequestError", false],
  ["blobs: HTTP 404", (task) => blobs(task), [done, http(404), done, http(404)], "ServiceError", false],
  ["blobs: HTTP 500", (task) => blobs(task), [done, lost], "ServiceError", true],
  ["blobs: the network", (task) => blobs(task), [done, neverSent], "ConnectionError", true],
  ["blobs: too large", (task) => blobs(task, { maxBytes: 1 }), [done, http(200, {}, "ab")], "ServiceError", false],
  ["streams: HTTP 500", drain, [done, lost], "ServiceError", true],
  ["download: HTTP 500", (task) => download(task, tmpdir()), [done, lost], "ServiceError", true],
  ["download: a wrong option", (task) => download(task, ""), [done], "InvalidRequestError", false],
];

test.for(afterCreation)("%s, after creation", async ([, run, replies, name, isRetryable, options]) => {
  const { media, events } = clientOf(replies, options);
  const task = media.image.task("t-1");
  const error = await errorOf(run(task));
  expect(error).toMatchObject({ name, billed: "yes", isRetryable, advice: expect.stringMatching(/\.$/) });
  expect((error as MediaGenError).task).toBe(task);
  for (const event of events)
    if ("error" in event && MediaGenError.is(event.error)) expect(event.error.billed).toBe("yes");
});

test.each<[string, (media: MediaGen) => Promise<unknown>]>([
  ["query", (media) => media.image.query("t-1")],
  ["delete", (media) => media.image.delete(["t-1"])],
])("%s of a taskid, after creation", async (_, run) => {
  expect(await errorOf(run(clientOf([http(401)]).media))).toMatchObject({ billed: "yes", isRetryable: false });
  expect(await errorOf(run(clientOf([lost]).media))).toMatchObject({ billed: "yes", isRetryable: true });
});

test.each<[string, readonly Reply[]]>([
  ["whose polls are rejected", [() => created("t-1"), http(401)]],
  ["that fails", [() => created("t-1"), pending]],
  ["whose result is gone", [() => created("t-1"), done, http(404)]],
])("the AI SDK generates a task %s once", async (_, replies) => {
  const { media, events } = clientOf(replies, { statuses: { failed: [1] }, passing: ["pause", "limit"] });
  const model = createMediaGenProvider({ media }).image("imgmodelz");
  await errorOf(generateImage({ model, prompt: "A fox", maxRetries: 3 }));
  expect(events.filter(({ type }) => type === "generated")).toHaveLength(1);
});
