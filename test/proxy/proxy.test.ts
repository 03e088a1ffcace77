import { createEmulator, type FaultName } from "@mediagen/emulator";
import { createMediaGen, memoryStore, OutcomeUnknownError, RateLimitError } from "@mediagen/sdk";
import {
  InvalidRequestError,
  type Clock,
  type MediaGen,
  type MediaGenOptions,
} from "@mediagen/sdk";
import { createMediaProxy, type MediaProxyOptions } from "@mediagen/proxy";
import { describe, expect, test, vi } from "vitest";
import { connectionRefused, errorOf } from "../sdk/fake-service.ts";

const app = "https://app.test";
const baseUrl = `${app}/api/media`;
const secret = "0123456789abcdef0123456789abcdef";
const model = "imgmodelv4";
const path = `/v1/images/${model}`;
const form = { prompt: "A fox" };
const png = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const order = { idempotencyKey: "order-1" };
const rejected = expect.any(InvalidRequestError);
/** Pauses take no time, and no limit passes. */
const noPause: Clock["sleep"] = async (_ms, _signal, reason) =>
  reason === "pause" ? undefined : new Promise(() => undefined);
// By its path: a second copy of the SDK, as a server has that installs two versions.
const copy = await import("../../packages/sdk/src/index.ts");

interface Setup extends Partial<MediaProxyOptions> {
  readonly client?: MediaGenOptions;
  readonly create?: typeof createMediaGen;
}

/** A service, a proxy that holds its key, and the pages of users. */
function setUp({ client = {}, create = createMediaGen, ...options }: Setup = {}) {
  const emulator = createEmulator({ clock: { speed: 1_000 } });
  const errors: unknown[] = [];
  const media = create({ ...emulator.client, store: memoryStore(), retries: 0, ...client });
  const onError = (error: unknown) => void errors.push(error);
  const user = ({ headers }: Request) => headers.get("x-user");
  const proxy = createMediaProxy({ media, secret, user, onError, ...options });
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
  const generate = (options = {}, user = "ann") =>
    pageOf(user).image.generate(model, form, options);
  /** Sends what no client would send. */
  const post = async (to: string, body: BodyInit, headers: Record<string, string> = {}) => {
    const request = new Request(baseUrl + to, {
      method: "POST",
      body,
      headers: { "x-user": "ann", ...headers },
    });
    const response = await proxy(request);
    return { status: response.status, text: await response.text() };
  };
  return { emulator, errors, proxy, pageOf, generate, post, media };
}

/** A form of a page that leaves everything else to its browser. */
function formData(...fields: readonly [string, string | File][]): FormData {
  const data = new FormData();
  for (const [name, value] of [["prompt", "A fox"] as const, ...fields]) data.append(name, value);
  return data;
}

test("a page generates through the proxy with text, numbers, flags and files, and waits for its record", async () => {
  const { emulator, pageOf } = setUp();
  const png = new File([Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)], "a.png", {
    type: "image/png",
  });
  const fields = { prompt: "A fox\nruns", duration: 10, generate_audio: true, fps: 30 } as const;
  const task = await pageOf("ann").video.generate("vidmodelv2", {
    ...fields,
    sourceImage: [png, png],
  });
  const file = { name: "a.png", type: "image/png", size: 8 };
  const sent = { fields: { duration: 10, generate_audio: "1", fps: "30" }, files: [file, file] };
  expect(emulator.tasks).toMatchObject([sent]);
  const record = await task.wait();
  expect([record.url.length, record.taskid]).toEqual([1, task.taskid]);
  const image = await pageOf("ann").image.generate(model, { ...form, batchsize: 2 });
  expect((await image.wait()).url).toHaveLength(2);
});

test("a key is generated once, also if it arrives twice at once, and two users' equal keys are two generations", async () => {
  const { emulator, generate } = setUp();
  const [first, second] = await Promise.all([generate(order), generate(order)]);
  expect([second.taskid, (await generate(order)).taskid]).toEqual([first.taskid, first.taskid]);
  expect(emulator.charges).toHaveLength(1);
  expect((await generate(order, "bob")).taskid).not.toBe(first.taskid);
  // The user and the key in one text would be the same for both.
  await generate({ idempotencyKey: "c" }, "a/b");
  await generate({ idempotencyKey: "b/c" }, "a");
  expect(emulator.charges).toHaveLength(4);
});

describe("a task", () => {
  test("is queried by its own user only, whatever of its id the others know", async () => {
    const { emulator, pageOf, generate } = setUp();
    const task = await generate();
    const { taskid = "" } = emulator.tasks[0] ?? {};
    const calls = emulator.calls.length;
    const ofOtherSecret = await setUp({ secret: secret.toUpperCase() }).generate();
    for (const [user, kind, id] of [
      ["bob", "image", task.taskid],
      ["ann", "video", task.taskid],
      ["ann", "image", taskid],
      ["ann", "image", `${taskid}.`],
      ["ann", "image", `x${task.taskid}`],
      ["ann", "image", `${taskid}.${ofOtherSecret.taskid.split(".").at(-1)}`],
    ] as const) {
      const error = { status: 422, msg: "The user has no such task." };
      expect(await errorOf(pageOf(user)[kind].query(id)), `${user} ${kind}`).toMatchObject(error);
    }
    expect(emulator.calls).toHaveLength(calls);
    expect((await pageOf("ann").image.query(task.taskid)).taskid).toBe(task.taskid);
  });

  test("is queried with the service's own fields, and no other option of a query", async () => {
    const sent: unknown[] = [];
    const service = createEmulator();
    const { client } = service;
    const fetch: typeof client.fetch = (url, init) => {
      if (String(url).endsWith("infobytaskid"))
        sent.push(new Headers(init?.headers).get("x-evil"), init?.body);
      return client.fetch(url, init);
    };
    const { pageOf, post } = setUp({ client: { ...client, fetch } });
    const { taskid } = await pageOf("ann").video.generate("vidmodelv2", form);
    const body = { taskid, moreTaskInfo: true, headers: { "x-evil": "1" }, timeoutMs: 1 };
    expect((await post("/v1/video/infobytaskid", JSON.stringify(body))).status).toBe(200);
    expect(sent).toEqual([
      null,
      JSON.stringify({ moreTaskInfo: true, taskid: service.charges[0]?.taskid }),
    ]);
  });
});

test.for([
  ["POST", "/v1/images/deleteimagestask", 404],
  ["POST", "/v1/images/imgmodelv9", 404],
  ["POST", "/v1/video/imgmodelv4", 404],
  ["POST", "/v1/images/constructor", 404],
  ["GET", path, 404],
  ["POST", path, 401],
] as const)(
  "%s %s without a user is HTTP %i, and sends nothing",
  async ([method, path, status]) => {
    const { emulator, proxy } = setUp();
    expect([(await proxy(new Request(baseUrl + path, { method }))).status, emulator.calls]).toEqual(
      [status, []],
    );
  },
);

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
  expect((await post(path, formData(), { ...headers, "idempotency-key": "order-1" })).status).toBe(
    status,
  );
  expect(emulator.charges).toHaveLength(status === 200 ? 1 : 0);
});

test("a body that is too large is read no further than the limit, and not at all if it says its length", async () => {
  for (const length of ["100001", undefined]) {
    const { emulator, proxy } = setUp({ maxBytes: 100_000 });
    let pulled = 0;
    const head = new TextEncoder().encode(
      '--b\r\ncontent-disposition: form-data; name="prompt"\r\n\r\n',
    );
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(head),
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(10_000).fill(65));
      },
    });
    const headers = { "x-user": "ann", "content-type": "multipart/form-data; boundary=b" };
    const sent = length === undefined ? headers : { ...headers, "content-length": length };
    const init = { method: "POST", headers: sent, body, duplex: "half" } as RequestInit;
    const response = await proxy(new Request(baseUrl + path, init));
    expect([response.status, emulator.calls]).toEqual([413, []]);
    expect(pulled).toBeLessThan(length === undefined ? 15 : 2);
  }
});

const parts = (count: number) =>
  formData(
    ...Array.from({ length: count - 1 }, (_, index): [string, string] => [`field${index}`, "1"]),
  );
const today = "You have used your images of today.";
test.for<[string, BodyInit, headers: Record<string, string>, says: string, Setup?]>([
  ["no form", "{}", { "content-type": "application/json" }, "cannot be read"],
  ["another kind of form", new URLSearchParams(form), {}, "as multipart/form-data"],
  ["a broken form", "no", { "content-type": "multipart/form-data; boundary=b" }, "cannot be read"],
  ["a wrong value", formData(["batchsize", "two"]), {}, "batchsize"],
  ["an unknown field", formData(["__proto__", "1"]), {}, "__proto__"],
  ["a field twice", formData(["prompt", "A hare"]), {}, "prompt"],
  [
    "a file that is no image",
    formData(["sourceImage.items", new File(["no"], "a.png")]),
    {},
    "must be an image",
  ],
  ["a key that is too long", formData(), { "idempotency-key": "k".repeat(256) }, "longer than 255"],
  ["a page of a browser without a key", formData(), { origin: app }, "idempotency-key is missing"],
  [
    "a newer browser's, too",
    formData(),
    { "sec-fetch-site": "same-origin" },
    "idempotency-key is missing",
  ],
  ["very many parts", parts(101), {}, "more than 100 parts"],
  ["many problems", parts(100), {}, "There are 94 more problems."],
  ["what beforeGenerate rejects", formData(), {}, today, { beforeGenerate: async () => today }],
])(
  "is rejected with a text for the page, and neither sent nor reported: %s",
  async ([, body, headers, says, options]) => {
    const { emulator, errors, post } = setUp(options);
    expect(await post(path, body, headers)).toEqual({
      status: 422,
      text: expect.stringContaining(says),
    });
    expect([emulator.calls, errors]).toEqual([[], []]);
  },
);

test("what is wrong in a query is described to the page, and is not reported", async () => {
  const { errors, pageOf, post } = setUp();
  const { taskid } = await pageOf("ann").video.generate("vidmodelv2", form);
  const query = await post(
    "/v1/video/infobytaskid",
    JSON.stringify({ taskid, moreTaskInfo: "yes" }),
  );
  expect([query, errors]).toEqual([
    { status: 422, text: expect.stringContaining("moreTaskInfo") },
    [],
  ]);
});

test("beforeGenerate gets a valid form with its user and key, and returns the form that is sent", async () => {
  const seen: unknown[] = [];
  const { emulator, pageOf } = setUp({
    beforeGenerate(given, generation) {
      seen.push(given, generation);
      return { ...given, batchsize: 1 };
    },
  });
  await pageOf("ann").image.generate(model, { ...form, batchsize: 4 }, order);
  expect(seen).toEqual([
    { prompt: "A fox", batchsize: 4 },
    { user: "ann", kind: "image", model, ...order },
  ]);
  expect(emulator.tasks).toMatchObject([{ fields: { batchsize: 1 } }]);
});

describe("a file of the page that beforeGenerate leaves out", () => {
  const picture = { ...form, sourceImage: new File([png], "fox.png") };
  const generateWith = (beforeGenerate: MediaProxyOptions["beforeGenerate"]) => {
    const { pageOf, ...rest } = setUp({ beforeGenerate });
    return { ...rest, outcome: errorOf(pageOf("ann").video.generate("vidmodelv2", picture)) };
  };

  test("is not paid for without it", async () => {
    const { emulator, errors, outcome } = generateWith(({ prompt }) => ({ prompt }));
    expect(await outcome).toMatchObject({ name: "ServiceError", status: 424, billed: "no" });
    expect(emulator.calls).toEqual([]);
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining("without sourceImage") }),
    ]);
  });

  test("is left out if that is meant", async () => {
    const { emulator, errors, outcome } = generateWith(({ prompt }) => ({
      prompt,
      sourceImage: undefined,
    }));
    await outcome;
    expect(errors).toEqual([]);
    expect(emulator.tasks).toMatchObject([{ fields: { prompt: "A fox" }, files: [] }]);
  });
});

const crash = () => {
  throw new TypeError("the database of sk-secret is down");
};
// The casts: what a program without types may return.
test.for<[string, Setup, unknown]>([
  ["user throws", { user: crash }, expect.any(TypeError)],
  ["user returns no text", { user: () => 7 as unknown as string }, rejected],
  ["beforeGenerate throws", { beforeGenerate: crash }, expect.any(TypeError)],
  [
    "beforeGenerate returns an invalid form",
    { beforeGenerate: () => ({ ...form, batchsize: 900 }) },
    rejected,
  ],
  ["beforeGenerate returns nothing", { beforeGenerate: () => undefined as never }, rejected],
  ["the API key is missing", { client: { apiKey: () => "" } }, rejected],
])(
  "if %s, the page gets a rejection without details, and the server the error",
  async ([, options, reported]) => {
    const { emulator, errors, generate } = setUp(options);
    const error = await errorOf(generate());
    expect(error).toMatchObject({
      name: "ServiceError",
      status: 424,
      msg: expect.stringContaining("Nothing was sent"),
    });
    expect(String(error)).not.toMatch(/sk-secret|apiKey/);
    expect([errors, emulator.calls]).toEqual([[reported], []]);
  },
);

test("an error that proves nothing is an unknown outcome", async () => {
  const lost = new Error("The response was lost.");
  const { errors, generate } = setUp({
    media: { ...setUp().media, generate: () => Promise.reject(lost) },
  });
  expect([await errorOf(generate()), errors]).toEqual([expect.any(OutcomeUnknownError), [lost]]);
});

test("a key that belongs to another form is an unknown outcome, is reported, and shows no user to the page", async () => {
  let count = 0;
  const beforeGenerate = () => ({ prompt: `Fox ${++count}` });
  const { emulator, errors, generate, post } = setUp({ beforeGenerate });
  await generate(order, "user-4711");
  expect(await errorOf(generate(order, "user-4711"))).toBeInstanceOf(OutcomeUnknownError);
  const response = await post(path, formData(), {
    "x-user": "user-4711",
    "idempotency-key": "order-1",
  });
  expect(response).toEqual({ status: 502, text: expect.not.stringContaining("4711") });
  expect([errors, emulator.charges.length]).toEqual([[rejected, rejected], 1]);
});

describe.each([
  ["this copy", createMediaGen],
  ["another copy", copy.createMediaGen],
])(
  "with a client of %s of the SDK, what the service says keeps its meaning, without its words",
  (_, create) => {
    test("after a lost response the outcome is unknown, and the same key sends nothing", async () => {
      const { emulator, errors, generate } = setUp({ create });
      emulator.next({ fault: "resetAfter", on: "generate" });
      for (const _ of [1, 2])
        expect(await errorOf(generate(order))).toBeInstanceOf(OutcomeUnknownError);
      expect(errors).toMatchObject([
        { name: "OutcomeUnknownError" },
        { name: "OutcomeUnknownError" },
      ]);
      expect(emulator.charges).toHaveLength(1);
    });

    test.for(["insufficientCredits", "failure"] satisfies FaultName[])(
      "%s is a rejection",
      async (fault) => {
        const { emulator, errors, generate } = setUp({ create });
        emulator.next({ fault, on: "generate" });
        const error = {
          name: "ServiceError",
          code: 9999,
          msg: "The service rejected the generation.",
        };
        expect(await errorOf(generate())).toMatchObject(error);
        expect(errors).toHaveLength(1);
      },
    );

    test("what was not sent, or met a rate limit, may be retried", async () => {
      const { emulator, generate } = setUp({ create });
      emulator.next({ fault: "rateLimited", on: "generate", retryAfter: "7" });
      const limited = await errorOf(generate());
      expect(limited).toBeInstanceOf(RateLimitError);
      expect(limited).toMatchObject({ retryAfterMs: 7_000 });
      let calls = 0;
      const fetch: typeof emulator.fetch = (...given) =>
        calls++ === 0 ? Promise.reject(connectionRefused) : emulator.fetch(...given);
      const down = setUp({ create, client: { ...emulator.client, fetch, fetchSendsOnce: true } });
      await down
        .pageOf("ann", { retries: 1, clock: { sleep: noPause } })
        .image.generate(model, form);
      expect([calls, emulator.charges.length]).toEqual([2, 1]);
    });
  },
);

test("the function never rejects, and nothing is left unhandled if onError throws or rejects", async () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  for (const onError of [crash, () => Promise.reject(new Error("no log"))]) {
    const { post } = setUp({ user: () => Promise.reject(new Error("no session")), onError });
    expect((await post(path, formData())).status).toBe(424);
  }
  expect(log.mock.calls).toEqual([[expect.any(TypeError)], [new Error("no log")]]);
  log.mockRestore();
});

test.for<[string, object, string]>([
  [
    "a client without a store",
    { media: createMediaGen({ baseUrl: "http://localhost" }) },
    "media needs a store",
  ],
  ["a short secret", { secret: "secret" }, "secret must be at least 32 random characters"],
  ["a beforeGenerate that is none", { beforeGenerate: null }, "beforeGenerate must be a function"],
  ["one origin without a list", { origins: app }, "origins must be a list of origins"],
  ["an origin with a path", { origins: [app, `${app}/`] }, `not "${app}/"`],
  ["an unknown option", { userid: () => "ann" }, "userid is not a known option"],
])("%s is rejected when the proxy is created", ([, wrong, says]) => {
  expect(() => setUp(wrong)).toThrow(InvalidRequestError);
  expect(() => setUp(wrong)).toThrow(says);
});
