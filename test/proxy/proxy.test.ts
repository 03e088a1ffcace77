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
import { connectionRefused, errorOf, fetchError } from "../sdk/fake-service.ts";

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

test("a page that names no key sends one by itself, and a program that does not is generated each time", async () => {
  const { emulator, pageOf, post, media } = setUp();
  await pageOf("ann").image.generate(model, form);
  await pageOf("ann").image.generate(model, form);
  await post("/v1/images/imgmodelv4", formData());
  const { finished, tasks } = await media.recover();
  expect([emulator.charges.length, finished.length + tasks.length]).toEqual([3, 3]);
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
  ["POST", "/v1/images/deleteimagestask"],
  ["POST", "/v1/images/imgmodelv9"],
  ["POST", "/v1/video/imgmodelv4"],
  ["POST", "/v1/images/constructor"],
  ["POST", ""],
  ["GET", "/v1/images/imgmodelv4"],
] as const)("%s %s is forwarded to nobody", async ([method, path]) => {
  const { emulator, proxy } = setUp();
  const response = await proxy(new Request(baseUrl + path, { method, headers: { "x-user": "ann" } }));
  expect([response.status, emulator.calls]).toEqual([404, []]);
});

test("nobody generates who is not signed in", async () => {
  const { emulator, proxy } = setUp();
  const request = new Request(`${baseUrl}/v1/images/imgmodelv4`, { method: "POST", body: formData() });
  expect([(await proxy(request)).status, emulator.calls]).toEqual([401, []]);
});

test.for<[string, Record<string, string>, number]>([
  ["of this site", { "sec-fetch-site": "same-origin", origin: app }, 200],
  ["of this site, behind a proxy", { "sec-fetch-site": "same-origin", origin: "https://public.test" }, 200],
  ["of this site, in an older browser", { origin: app }, 200],
  ["of a listed origin", { "sec-fetch-site": "same-site", origin: "https://pages.app.test" }, 200],
  ["of no page", {}, 200],
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

test.for([{ origin: app }, { "sec-fetch-site": "same-origin" }] satisfies Record<string, string>[])(
  "a browser with %o must send a key, because it may send a request again by itself",
  async (headers) => {
    const { emulator, post } = setUp();
    const { status, text } = await post("/v1/images/imgmodelv4", formData(), headers);
    expect([status, text, emulator.calls]).toEqual([422, expect.stringContaining("idempotency-key is missing"), []]);
  },
);

test.for([true, 7, { id: "ann" }])("a user that is %o is no user, and is reported", async (user) => {
  // The cast: what a program without types may return.
  const { emulator, errors, post } = setUp({ user: () => user as unknown as string });
  expect((await post("/v1/images/imgmodelv4", formData())).status).toBe(424);
  expect([errors, emulator.calls]).toEqual([[expect.any(InvalidRequestError)], []]);
});

describe("a body that is too large", () => {
  test("is rejected by its length, unread", async () => {
    const { errors, post } = setUp({ maxBytes: 100 });
    const { status, text } = await post("/v1/images/imgmodelv4", formData(), { "content-length": "101" });
    expect([status, text, errors]).toEqual([413, expect.stringContaining("larger than 100 bytes"), []]);
  });

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

  test("is no query", async () => {
    const { post } = setUp();
    const body = JSON.stringify({ taskid: "a".repeat(20_000) });
    expect((await post("/v1/images/infobytaskid", body)).status).toBe(413);
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
  const many = (count: number) =>
    formData(Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, "1"])));
  const tooMany = await post("/v1/images/imgmodelv4", many(101));
  expect(tooMany).toEqual({ status: 422, text: expect.stringContaining("more than 100 parts") });
  // The prompt is missing too.
  const unknowns = await post("/v1/images/imgmodelv4", many(100));
  expect(unknowns).toEqual({ status: 422, text: expect.stringContaining("There are 96 more problems.") });
  expect(unknowns.text).not.toContain("field5 ");
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

test.for<[string, (crash: () => never) => Parameters<typeof setUp>[0]]>([
  ["user", (user) => ({ user })],
  ["beforeGenerate", (beforeGenerate) => ({ beforeGenerate })],
])("a crash in %s is a rejection for the page, not an unknown outcome, and is reported", async ([, optionsOf]) => {
  const crash = new TypeError("the database of sk-secret is down");
  const { emulator, errors, pageOf } = setUp(
    optionsOf(() => {
      throw crash;
    }),
  );
  const error = await errorOf(pageOf("ann").image.generate(model, form));
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({ status: 424, msg: expect.stringContaining("Nothing was sent") });
  expect(String(error)).not.toContain("sk-secret");
  expect([errors, emulator.calls]).toEqual([[crash], []]);
});

test("an error that proves nothing, such as one of another copy of the SDK, is an unknown outcome", async () => {
  const lost = Object.assign(new Error("The response was lost."), { name: "OutcomeUnknownError" });
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

describe("a mistake of the server is reported, and the page gets a text without details", () => {
  test.for<[string, unknown]>([
    ["an invalid form", { prompt: "A fox", batchsize: 900 }],
    ["nothing", undefined],
  ])("if beforeGenerate returns %s", async ([, returned]) => {
    // The cast: what a program without types may return.
    const { emulator, errors, pageOf } = setUp({ beforeGenerate: () => returned as typeof form });
    const error = await errorOf(pageOf("ann").image.generate(model, form));
    expect(error).toMatchObject({
      name: "ServiceError",
      status: 424,
      msg: "The server could not send the generation. Nothing was sent.",
    });
    expect([errors, emulator.calls]).toEqual([[expect.any(InvalidRequestError)], []]);
  });

  test("if the API key is missing", async () => {
    const emulator = createEmulator();
    let { apiKey } = emulator.client;
    const { errors, pageOf } = setUp({ client: { ...emulator.client, apiKey: () => apiKey } });
    const page = pageOf("ann");
    const { taskid } = await page.image.generate(model, form);
    const calls = emulator.calls.length;
    apiKey = "";
    for (const call of [() => page.image.generate(model, form), () => page.image.query(taskid)]) {
      const error = await errorOf(call());
      expect(error).toMatchObject({ name: "ServiceError", status: 424 });
      expect(String(error)).not.toContain("apiKey");
    }
    expect(errors).toEqual([expect.any(InvalidRequestError), expect.any(InvalidRequestError)]);
    expect(emulator.calls).toHaveLength(calls);
  });
});

describe("what the service says keeps its meaning in the page, without its words", () => {
  test.for(["resetAfter", "serverError", "emptyBody", "brokenJson"] satisfies FaultName[])(
    "after %s the outcome is unknown, and the same key sends nothing",
    async (fault) => {
      const { emulator, errors, pageOf } = setUp();
      emulator.next({ fault, on: "generate" });
      const page = pageOf("ann");
      for (const time of [1, 2]) {
        const error = await errorOf(page.image.generate(model, form, { idempotencyKey: "order-1" }));
        expect(error, `time ${time}`).toBeInstanceOf(OutcomeUnknownError);
      }
      expect(emulator.charges).toHaveLength(1);
      expect(errors).toEqual([expect.any(OutcomeUnknownError), expect.any(OutcomeUnknownError)]);
    },
  );

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

  test("what the server cannot send because of a certificate is not retried", async () => {
    const fetch = () => Promise.reject(fetchError({ code: "CERT_HAS_EXPIRED" }));
    const { pageOf } = setUp({ client: { fetch, fetchSendsOnce: true } });
    const error = await errorOf(pageOf("ann").image.generate(model, form));
    expect(error).toMatchObject({
      name: "ServiceError",
      status: 424,
      msg: expect.stringContaining("Nothing was sent"),
    });
  });

  test("a query that fails is repeated, and one that the service rejects is a rejection", async () => {
    const { emulator, pageOf } = setUp();
    const page = pageOf("ann", { retries: 1, clock: { sleep: noPause } });
    const { taskid } = await page.image.generate(model, form);
    emulator.next({ fault: "serverError", on: "query" });
    expect((await page.image.query(taskid)).taskid).toBe(taskid);
    emulator.next({ fault: "failure", on: "query" });
    expect(await errorOf(page.image.query(taskid))).toMatchObject({
      code: 9999,
      msg: "The service rejected the query.",
    });
  });
});

test.for<[string, NonNullable<MediaProxyOptions["onError"]>]>([
  [
    "throws",
    () => {
      throw new Error("no log");
    },
  ],
  ["rejects", () => Promise.reject(new Error("no log"))],
])("the function never rejects, and nothing is left unhandled if onError %s", async ([, onError]) => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const { post } = setUp({ user: () => Promise.reject(new Error("no session")), onError });
  expect((await post("/v1/images/imgmodelv4", formData())).status).toBe(424);
  expect(log).toHaveBeenCalledExactlyOnceWith(new Error("no log"));
  log.mockRestore();
});

test.for<[string, object, string]>([
  ["a client without a store", { media: createMediaGen({ baseUrl: "http://localhost" }) }, "media needs a store"],
  ["no client", { media: undefined }, "media needs a store"],
  ["a short secret", { secret: "secret" }, "secret must be at least 32 random characters"],
  ["no user", { user: undefined }, "user must be a function"],
  ["a beforeGenerate that is none", { beforeGenerate: null }, "beforeGenerate must be a function"],
  ["one origin without a list", { origins: app }, "origins must be a list of origins"],
  ["an origin with a path", { origins: [app, `${app}/`] }, `not "${app}/"`],
  ["a limit that is none", { maxBytes: "1" }, "maxBytes"],
  ["an unknown option", { userid: () => "ann" }, "userid is not a known option"],
])("%s is rejected when the proxy is created", ([, wrong, says]) => {
  const media = createMediaGen({ baseUrl: "http://localhost", store: memoryStore() });
  // The cast: what a program without types may pass.
  const create = () => createMediaProxy({ media, secret, user: () => "ann", ...wrong } as MediaProxyOptions);
  expect(create).toThrow(InvalidRequestError);
  expect(create).toThrow(says);
});
