import { createEmulator, type FaultName } from "@mediagen/emulator";
import {
  createMediaGen,
  InvalidRequestError,
  type MediaGen,
  type Clock,
  type MediaGenOptions,
  memoryStore,
  OutcomeUnknownError,
  RateLimitError,
  ServiceError,
} from "@mediagen/sdk";
import { createMediaProxy, type MediaProxyOptions } from "@mediagen/proxy";
import { describe, expect, test, vi } from "vitest";
import { connectionRefused, errorOf } from "../sdk/fake-service.ts";

const app = "https://app.test";
const baseUrl = `${app}/api/media`;
const secret = "0123456789abcdef0123456789abcdef";
const model = "imgmodelv4";
const form = { prompt: "A fox" };
/** Pauses take no time, and no limit passes. */
const noPause: Clock["sleep"] = async (_ms, _signal, reason) =>
  reason === "pause" ? undefined : new Promise(() => undefined);

/** A service, a proxy that holds its key, and the pages of users. */
function setUp({ client = {}, ...options }: Partial<MediaProxyOptions> & { client?: MediaGenOptions } = {}) {
  const emulator = createEmulator({ clock: { speed: 1_000 } });
  const errors: unknown[] = [];
  const media = createMediaGen({ ...emulator.client, store: memoryStore(), retries: 0, ...client });
  const proxy = createMediaProxy({
    media,
    secret,
    user: ({ headers }) => headers.get("x-user"),
    onError: (error) => void errors.push(error),
    ...options,
  });
  /** The client in a page of a user, as it is in a browser: without a key. */
  const pageOf = (user: string, more: MediaGenOptions = {}): MediaGen =>
    createMediaGen({
      baseUrl,
      headers: { "x-user": user },
      fetch: async (url, init) => proxy(new Request(url, init)),
      fetchSendsOnce: true,
      retries: 0,
      ...more,
    });
  /** Sends what no client would send. */
  const post = async (path: string, body: BodyInit, headers: Record<string, string> = {}) => {
    const response = await proxy(
      new Request(baseUrl + path, { method: "POST", body, headers: { "x-user": "ann", ...headers } }),
    );
    return { status: response.status, text: await response.text() };
  };
  return { emulator, errors, proxy, pageOf, post, media };
}

/** A form of a page that leaves everything else to its browser. */
function formData(fields: Readonly<Record<string, string>> = form): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  return data;
}

test("a page generates through the proxy with text, numbers, flags and files, and waits for its record", async () => {
  const { emulator, pageOf } = setUp();
  const png = new File([Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)], "first.png", {
    type: "image/png",
  });
  const task = await pageOf("ann").video.generate("vidmodelv2", {
    prompt: "A fox\nruns",
    duration: 10,
    generate_audio: true,
    fps: 30,
    sourceImage: [png, png],
  });
  expect(emulator.tasks).toMatchObject([
    {
      fields: { duration: 10, generate_audio: "1", fps: "30" },
      files: [
        { name: "first.png", type: "image/png", size: 8 },
        { name: "first.png", size: 8 },
      ],
    },
  ]);
  const record = await task.wait();
  expect([record.url.length, record.taskid]).toEqual([1, task.taskid]);
  const image = await pageOf("ann").image.generate(model, { ...form, batchsize: 2 });
  expect((await image.wait()).url).toHaveLength(2);
});

test("a key is generated once, also if it arrives twice at once, and two users' equal keys are two generations", async () => {
  const { emulator, pageOf } = setUp();
  const ann = pageOf("ann");
  const key = { idempotencyKey: "order-1" };
  const [first, second] = await Promise.all([
    ann.image.generate(model, form, key),
    ann.image.generate(model, form, key),
  ]);
  expect((await ann.image.generate(model, form, key)).taskid).toBe(first.taskid);
  expect(second.taskid).toBe(first.taskid);
  expect(emulator.charges).toHaveLength(1);
  const bob = await pageOf("bob").image.generate(model, form, key);
  expect(bob.taskid).not.toBe(first.taskid);
  // The user and the key in one text would be the same for both.
  await pageOf("a/b").image.generate(model, form, { idempotencyKey: "c" });
  await pageOf("a").image.generate(model, form, { idempotencyKey: "b/c" });
  expect(emulator.charges).toHaveLength(4);
});

describe("a task", () => {
  test("is queried by its own user only, whatever of its id the others know", async () => {
    const { emulator, pageOf } = setUp();
    const task = await pageOf("ann").image.generate(model, form);
    const { taskid = "" } = emulator.tasks[0] ?? {};
    const calls = emulator.calls.length;
    const ofOtherSecret = await setUp({ secret: secret.toUpperCase() }).pageOf("ann").image.generate(model, form);
    for (const [user, kind, id] of [
      ["bob", "image", task.taskid],
      ["ann", "video", task.taskid],
      ["ann", "image", taskid],
      ["ann", "image", `${taskid}.`],
      ["ann", "image", `x${task.taskid}`],
      ["ann", "image", `${taskid}.${ofOtherSecret.taskid.split(".").at(-1)}`],
    ] as const)
      expect(await errorOf(pageOf(user)[kind].query(id)), `${user} ${kind}`).toMatchObject({
        status: 422,
        msg: "The user has no such task.",
      });
    expect(emulator.calls).toHaveLength(calls);
    expect((await pageOf("ann").image.query(task.taskid)).taskid).toBe(task.taskid);
  });

  test("is queried with the service's own fields, and no other option of a query", async () => {
    const sent: [string | null, unknown][] = [];
    const emulator = createEmulator();
    const fetch = async (url: string | URL, init?: RequestInit) => {
      const request = new Request(url, init);
      if (request.url.endsWith("infobytaskid"))
        sent.push([request.headers.get("x-evil"), await request.clone().json()]);
      return emulator.fetch(request);
    };
    const { pageOf, post } = setUp({ client: { ...emulator.client, fetch } });
    const { taskid } = await pageOf("ann").video.generate("vidmodelv2", form);
    const body = { taskid, moreTaskInfo: true, headers: { "x-evil": "1" }, timeoutMs: 1 };
    expect((await post("/v1/video/infobytaskid", JSON.stringify(body))).status).toBe(200);
    expect(sent).toEqual([[null, { taskid: emulator.tasks[0]?.taskid, moreTaskInfo: true }]]);
  });
});

test.for([
  ["POST", "/v1/images/deleteimagestask", 404],
  ["POST", "/v1/images/imgmodelv9", 404],
  ["POST", "/v1/video/imgmodelv4", 404],
  ["POST", "/v1/images/constructor", 404],
  ["GET", "/v1/images/imgmodelv4", 404],
  ["POST", "/v1/images/imgmodelv4", 401],
] as const)("%s %s without a user is HTTP %i, and sends nothing", async ([method, path, status]) => {
  const { emulator, proxy } = setUp();
  expect([(await proxy(new Request(baseUrl + path, { method }))).status, emulator.calls]).toEqual([status, []]);
});

test.for<[string, Record<string, string>, number]>([
  ["of this site", { "sec-fetch-site": "same-origin", origin: app }, 200],
  ["of this site, in an older browser", { origin: app }, 200],
  ["of a listed origin", { "sec-fetch-site": "same-site", origin: "https://pages.app.test" }, 200],
  ["of another site", { "sec-fetch-site": "cross-site", origin: app }, 403],
  ["of a neighbour", { "sec-fetch-site": "same-site", origin: "https://evil.app.test" }, 403],
  ["of another site, in an older browser", { origin: "https://app.test.evil.test" }, 403],
  ["of a sandbox", { origin: "null" }, 403],
])("a request %s", async ([, headers, status]) => {
  const { emulator, post } = setUp({ origins: ["https://pages.app.test"] });
  const keyed = { ...headers, "idempotency-key": "order-1" };
  expect((await post("/v1/images/imgmodelv4", formData(), keyed)).status).toBe(status);
  expect(emulator.charges).toHaveLength(status === 200 ? 1 : 0);
});

test("a browser must send a key, because it may repeat a request by itself", async () => {
  for (const headers of [{ origin: app }, { "sec-fetch-site": "same-origin" }] as Record<string, string>[]) {
    const { emulator, post } = setUp();
    const { status, text } = await post("/v1/images/imgmodelv4", formData(), headers);
    expect([status, text, emulator.calls]).toEqual([422, expect.stringContaining("idempotency-key is missing"), []]);
  }
});

describe("a body that is too large", () => {
  test("is read no further than the limit if it does not say its length", async () => {
    const { emulator, proxy } = setUp({ maxBytes: 100_000 });
    let pulled = 0;
    const head = new TextEncoder().encode('--b\r\ncontent-disposition: form-data; name="prompt"\r\n\r\n');
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(head),
      pull: (controller) => controller.enqueue(new Uint8Array(10_000).fill((pulled++, 65))),
    });
    const headers = { "x-user": "ann", "content-type": "multipart/form-data; boundary=b" };
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    const response = await proxy(new Request(`${baseUrl}/v1/images/imgmodelv4`, init));
    expect([response.status, emulator.calls]).toEqual([413, []]);
    expect(pulled).toBeLessThan(15);
  });
});

const twice = formData();
twice.append("prompt", "A hare");
const unknown = formData();
unknown.append("__proto__", "1");

test.for([
  ["a form that is none", "{}", { "content-type": "application/json" }],
  ["a form with a wrong value", formData({ prompt: "A fox", batchsize: "two" }), {}],
  ["a form with an unknown field", unknown, {}],
  ["a field twice", twice, {}],
  ["a key that is too long", formData(), { "idempotency-key": "k".repeat(256) }],
] satisfies [string, BodyInit, Record<string, string>][])("%s is not forwarded", async ([, body, headers]) => {
  const { emulator, post } = setUp();
  expect((await post("/v1/images/imgmodelv4", body, headers)).status).toBe(422);
  expect(emulator.calls).toEqual([]);
});

test("a form of very many parts is rejected, and a message lists few problems", async () => {
  const { emulator, post } = setUp();
  const generate = (count: number) =>
    post(
      "/v1/images/imgmodelv4",
      formData(Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, "1"]))),
    );
  expect(await generate(101)).toEqual({ status: 422, text: expect.stringContaining("more than 100 parts") });
  // The prompt is missing too.
  expect(await generate(100)).toEqual({ status: 422, text: expect.stringContaining("There are 96 more problems.") });
  expect(emulator.calls).toEqual([]);
});

test("what is wrong in a form's files or in a query is described to the page, and is not reported", async () => {
  const { emulator, errors, pageOf, post } = setUp();
  const data = formData();
  data.append("sourceImage.items", new File(["no image"], "first.png", { type: "image/png" }));
  const { status, text } = await post("/v1/video/vidmodelv2", data);
  expect([status, text, emulator.calls]).toEqual([422, expect.stringContaining("must be an image"), []]);
  const { taskid } = await pageOf("ann").video.generate("vidmodelv2", form);
  const query = await post("/v1/video/infobytaskid", JSON.stringify({ taskid, moreTaskInfo: "yes" }));
  expect(query).toEqual({ status: 422, text: expect.stringContaining("moreTaskInfo") });
  expect(errors).toEqual([]);
});

describe("beforeGenerate", () => {
  test("gets a valid form with its user and key, and returns the form that is sent", async () => {
    const seen: unknown[] = [];
    const { emulator, pageOf } = setUp({
      beforeGenerate: (given, generation) => (seen.push([given, generation]), { ...given, batchsize: 1 }),
    });
    await pageOf("ann").image.generate(model, { ...form, batchsize: 4 }, { idempotencyKey: "order-1" });
    const generation = { user: "ann", kind: "image", model, idempotencyKey: "order-1" };
    expect(seen).toEqual([[{ prompt: "A fox", batchsize: 4 }, generation]]);
    expect(emulator.tasks).toMatchObject([{ fields: { batchsize: 1 } }]);
  });

  test("rejects a generation with a text for the page", async () => {
    const { emulator, errors, pageOf } = setUp({ beforeGenerate: async () => "You have used your images of today." });
    const error = await errorOf(pageOf("ann").image.generate(model, form));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: 422, msg: "You have used your images of today." });
    expect([emulator.calls, errors]).toEqual([[], []]);
  });
});

const crash = () => {
  throw new TypeError("the database of sk-secret is down");
};
// The casts: what a program without types may return.
test.for<[string, Partial<MediaProxyOptions>, unknown]>([
  ["user throws", { user: crash }, expect.any(TypeError)],
  ["user returns no text", { user: () => 7 as unknown as string }, expect.any(InvalidRequestError)],
  ["beforeGenerate throws", { beforeGenerate: crash }, expect.any(TypeError)],
  [
    "beforeGenerate returns an invalid form",
    { beforeGenerate: () => ({ prompt: "A fox", batchsize: 900 }) },
    expect.any(InvalidRequestError),
  ],
  [
    "beforeGenerate returns nothing",
    { beforeGenerate: () => undefined as unknown as object },
    expect.any(InvalidRequestError),
  ],
  ["the API key is missing", { client: { apiKey: () => "" } } as object, expect.any(InvalidRequestError)],
])("if %s, the page gets a rejection without details, and the server the error", async ([, options, reported]) => {
  const { emulator, errors, pageOf } = setUp(options);
  const error = await errorOf(pageOf("ann").image.generate(model, form));
  expect(error).toMatchObject({ name: "ServiceError", status: 424, msg: expect.stringContaining("Nothing was sent") });
  expect(String(error)).not.toMatch(/sk-secret|apiKey/);
  expect([errors, emulator.calls]).toEqual([[reported], []]);
});

test("an error that proves nothing is an unknown outcome", async () => {
  const lost = new Error("The response was lost.");
  const { media } = setUp();
  const { errors, pageOf } = setUp({ media: { ...media, generate: () => Promise.reject(lost) } });
  expect(await errorOf(pageOf("ann").image.generate(model, form))).toBeInstanceOf(OutcomeUnknownError);
  expect(errors).toEqual([lost]);
});

test("a key that stands for another form is an unknown outcome, is reported, and shows no user to the page", async () => {
  let count = 0;
  const { emulator, errors, pageOf, post } = setUp({
    beforeGenerate: (given) => ({ ...given, prompt: `Fox ${++count}` }),
  });
  const generate = () => pageOf("user-4711").image.generate(model, form, { idempotencyKey: "order-1" });
  await generate();
  expect(await errorOf(generate())).toBeInstanceOf(OutcomeUnknownError);
  const headers = { "x-user": "user-4711", "idempotency-key": "order-1" };
  const { status, text } = await post("/v1/images/imgmodelv4", formData(), headers);
  expect([status, text]).toEqual([502, expect.not.stringContaining("4711")]);
  expect(errors).toEqual([expect.any(InvalidRequestError), expect.any(InvalidRequestError)]);
  expect(emulator.charges).toHaveLength(1);
});

describe("what the service says keeps its meaning in the page, without its words", () => {
  test("after a lost response the outcome is unknown, and the same key sends nothing", async () => {
    const { emulator, errors, pageOf } = setUp();
    emulator.next({ fault: "resetAfter", on: "generate" });
    const generate = () => pageOf("ann").image.generate(model, form, { idempotencyKey: "order-1" });
    for (const _ of [1, 2]) expect(await errorOf(generate())).toBeInstanceOf(OutcomeUnknownError);
    expect(emulator.charges).toHaveLength(1);
    expect(errors).toEqual([expect.any(OutcomeUnknownError), expect.any(OutcomeUnknownError)]);
  });

  test.for(["insufficientCredits", "failure"] satisfies FaultName[])("%s is a rejection", async (fault) => {
    const { emulator, errors, pageOf } = setUp();
    emulator.next({ fault, on: "generate" });
    const error = await errorOf(pageOf("ann").image.generate(model, form));
    expect(error).toMatchObject({ name: "ServiceError", code: 9999, msg: "The service rejected the generation." });
    expect(errors).toHaveLength(1);
  });

  test("what was not sent, or met a rate limit, may be retried", async () => {
    const { emulator, pageOf } = setUp();
    emulator.next({ fault: "rateLimited", on: "generate", retryAfter: "7" });
    const limited = await errorOf(pageOf("ann").image.generate(model, form));
    expect(limited).toBeInstanceOf(RateLimitError);
    expect(limited).toMatchObject({ retryAfterMs: 7_000 });
    let calls = 0;
    const fetch: typeof emulator.fetch = (...given) =>
      calls++ === 0 ? Promise.reject(connectionRefused) : emulator.fetch(...given);
    const down = setUp({ client: { ...emulator.client, fetch, fetchSendsOnce: true } });
    const page = down.pageOf("ann", { retries: 1, clock: { sleep: noPause } });
    await page.image.generate(model, form);
    expect([calls, emulator.charges.length]).toEqual([2, 1]);
  });
});

test("the function never rejects, and nothing is left unhandled if onError throws or rejects", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  for (const onError of [crash, () => Promise.reject(new Error("no log"))]) {
    const { post } = setUp({ user: () => Promise.reject(new Error("no session")), onError });
    expect((await post("/v1/images/imgmodelv4", formData())).status).toBe(424);
  }
  expect(log.mock.calls).toEqual([[expect.any(TypeError)], [new Error("no log")]]);
  log.mockRestore();
});

test.for<[string, object, string]>([
  ["a client without a store", { media: createMediaGen({ baseUrl: "http://localhost" }) }, "media needs a store"],
  ["a short secret", { secret: "secret" }, "secret must be at least 32 random characters"],
  ["a beforeGenerate that is none", { beforeGenerate: null }, "beforeGenerate must be a function"],
  ["one origin without a list", { origins: app }, "origins must be a list of origins"],
  ["an origin with a path", { origins: [app, `${app}/`] }, `not "${app}/"`],
  ["an unknown option", { userid: () => "ann" }, "userid is not a known option"],
])("%s is rejected when the proxy is created", ([, wrong, says]) => {
  const media = createMediaGen({ baseUrl: "http://localhost", store: memoryStore() });
  // The cast: what a program without types may pass.
  const create = () => createMediaProxy({ media, secret, user: () => "ann", ...wrong } as MediaProxyOptions);
  expect(create).toThrow(InvalidRequestError);
  expect(create).toThrow(says);
});
