import {
  ConnectionError,
  createMediaGen,
  InsufficientCreditsError,
  OutcomeUnknownError,
  ServiceError,
  type MediaGenOptions,
} from "@mediagen/sdk";
import { describe, expect, test } from "vitest";

type Reply = (() => Response) | Error;

const created = () => Response.json({ code: 1000, msg: "", data: { taskid: "t-1", status: "Success" } });
/** A rejection of fetch as Node makes it, with these fields on its cause. */
const withCause = (fields: object, message = "fetch failed") =>
  new TypeError(message, { cause: Object.assign(new Error("why"), fields) });
const withCauses = (...causes: readonly unknown[]) =>
  new TypeError("fetch failed", { cause: new AggregateError(causes) });
const refused = withCause({ code: "ECONNREFUSED", syscall: "connect" });
const reset = withCause({ code: "ECONNRESET", syscall: "read" });
const limited = (retryAfter?: string) => () =>
  new Response("", { status: 429, headers: retryAfter === undefined ? {} : { "retry-after": retryAfter } });

/** A client whose requests get the replies in turn, the last for ever, and whose sleeps take no time but are counted. */
function client(replies: readonly Reply[], options: MediaGenOptions = {}) {
  let sent = 0;
  const slept: number[] = [];
  const media = createMediaGen({
    baseUrl: "http://localhost",
    random: () => 1,
    now: () => 0,
    // Deadlines never pass here; what sleeps less than they take is a pause before another try.
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (ms <= 60_000 - 1) return void (slept.push(ms), resolve());
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
    timeoutMs: 70_000,
    stallTimeoutMs: 65_000,
    fetch: async () => {
      const reply = replies[Math.min(sent++, replies.length - 1)];
      if (reply instanceof Error) throw reply;
      return reply?.() ?? created();
    },
    ...options,
  });
  const generate = () => media.image.generate("imgmodelz", { prompt: "A fox" });
  const errorOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);
  return { media, generate, errorOf, slept, sent: () => sent };
}

describe("a generation is sent again only where it provably was not sent", () => {
  test.for<[string, Error]>([
    ["connection refused", refused],
    ["name not found", withCause({ code: "ENOTFOUND", syscall: "getaddrinfo" })],
    ["name not looked up", withCause({ code: "EAI_AGAIN", syscall: "getaddrinfo" })],
    ["no route", withCause({ code: "EHOSTUNREACH", syscall: "connect" })],
    ["connect timeout of Node's fetch", withCause({ code: "UND_ERR_CONNECT_TIMEOUT" })],
    [
      "closed before TLS stood",
      withCause({
        code: "ECONNRESET",
        message: "Client network socket disconnected before secure TLS connection was established",
      }),
    ],
    ["every address refused", withCauses(refused.cause, refused.cause)],
    ["refused, as Bun says it", Object.assign(new Error("Unable to connect"), { code: "ECONNREFUSED" })],
    [
      "refused, as Deno says it",
      withCause({}, "error sending request for url: client error (Connect): tcp connect error"),
    ],
  ])("%s", async ([, error]) => {
    const once = client([error, created]);
    expect((await once.generate()).taskid).toBe("t-1");
    expect(once.sent()).toBe(2);
    const always = client([error]);
    expect(await always.errorOf(always.generate())).toBeInstanceOf(ConnectionError);
    expect(always.sent()).toBe(5);
    // Full jitter, here at its most: twice as long each time.
    expect(always.slept).toEqual([500, 1_000, 2_000, 4_000]);
  });

  test("and after pauses that have a cap", async () => {
    const { generate, errorOf, slept } = client([refused], { retries: 7 });
    await errorOf(generate());
    expect(slept).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  test("a bad certificate is told at once", async () => {
    for (const code of ["DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID"]) {
      const { generate, errorOf, sent } = client([withCause({ code })]);
      expect(await errorOf(generate())).toBeInstanceOf(ConnectionError);
      expect(sent()).toBe(1);
    }
  });

  test.for<[string, Error]>([
    ["reset while reading", reset],
    ["reset while writing", withCause({ code: "ECONNRESET", syscall: "write" })],
    ["a broken pipe", withCause({ code: "EPIPE", syscall: "write" })],
    ["the other side closed", withCause({ code: "UND_ERR_SOCKET" })],
    ["headers timeout", withCause({ code: "UND_ERR_HEADERS_TIMEOUT" })],
    ["timed out, but not while connecting", withCause({ code: "ETIMEDOUT", syscall: "read" })],
    ["one of two addresses was reached", withCauses(refused.cause, reset.cause)],
    ["no address tried", withCauses()],
    ["a browser's words", new TypeError("Failed to fetch")],
    ["whatever else", new RangeError("what")],
  ])("but not after %s: its outcome is unknown", async ([, error]) => {
    const { generate, errorOf, sent, slept } = client([error, created]);
    expect(await errorOf(generate())).toBeInstanceOf(OutcomeUnknownError);
    expect([sent(), slept]).toEqual([1, []]);
  });
});

describe("HTTP 429", () => {
  test("is followed by another try after Retry-After, for generations too", async () => {
    const { generate, slept, sent } = client([limited("7"), limited(), created]);
    expect((await generate()).taskid).toBe("t-1");
    expect([sent(), slept]).toEqual([3, [7_000, 1_000]]);
  });

  test("is followed by so many tries and no more", async () => {
    const { generate, errorOf, sent } = client([limited("0")], { retries: 3 });
    expect(await errorOf(generate())).toMatchObject({ name: "ServiceError", status: 429 });
    expect(sent()).toBe(4);
  });

  test("with a Retry-After beyond a minute is told, with how long", async () => {
    const { generate, errorOf, sent } = client([limited("2592000")]);
    expect(await errorOf(generate())).toMatchObject({ name: "ServiceError", status: 429, retryAfterMs: 2_592_000_000 });
    expect(sent()).toBe(1);
  });

  test("with the credits out is not tried again", async () => {
    const { generate, errorOf, sent } = client([() => Response.json({ code: 9000, msg: "" }, { status: 429 })]);
    expect(await errorOf(generate())).toBeInstanceOf(InsufficientCreditsError);
    expect(sent()).toBe(1);
  });
});

test("a generation is sent again after 503, 421 or 425 only if the caller says so, and 503 only with Retry-After", async () => {
  const unavailable =
    (status: number, headers: Record<string, string> = {}) =>
    () =>
      new Response("", { status, headers });
  const expectSent = async (reply: Reply, count: number, options?: MediaGenOptions) => {
    const { generate, errorOf, sent } = client([reply, created], options);
    await errorOf(generate());
    expect(sent()).toBe(count);
  };
  const opted: MediaGenOptions = { resendGenerationAfter: [421, 425, 503] };
  await expectSent(unavailable(503, { "retry-after": "1" }), 1);
  await expectSent(unavailable(503, { "retry-after": "1" }), 2, opted);
  await expectSent(unavailable(503), 1, opted);
  await expectSent(unavailable(421), 1);
  await expectSent(unavailable(421), 2, opted);
  await expectSent(unavailable(500), 1, opted);
});

describe("queries and deletions are safe to repeat", () => {
  test("so they are sent again after lost answers and server errors", async () => {
    const { media, sent } = client([
      reset,
      () => new Response("", { status: 502 }),
      new TypeError("Failed to fetch"),
      created,
    ]);
    expect((await media.video.query("t-1")).taskid).toBe("t-1");
    expect(sent()).toBe(4);
  });

  test("but not after an answer or another 4xx", async () => {
    for (const reply of [
      () => Response.json({ code: 9999, msg: "" }, { status: 500 }),
      () => new Response("", { status: 404 }),
      () => new Response("", { status: 501 }),
    ]) {
      const { media, errorOf, sent } = client([reply, created]);
      expect(await errorOf(media.video.query("t-1"))).toBeInstanceOf(ServiceError);
      expect(sent()).toBe(1);
    }
  });

  test("within a budget, so that a service that is down sees no storm", async () => {
    const { media, errorOf, sent } = client([reset]);
    for (let call = 0; call < 50; call++) await errorOf(media.video.query("t-1"));
    expect(sent()).toBe(50 + 20);
  });

  test("which a long good time does not enlarge, and which generations do not need", async () => {
    const { media, generate, errorOf, sent } = client([...Array<Reply>(300).fill(created), refused]);
    for (let call = 0; call < 300; call++) await media.video.query("t-1");
    for (let call = 0; call < 30; call++) await errorOf(media.video.query("t-1"));
    expect(sent()).toBe(300 + 30 + 20);
    await errorOf(generate());
    expect(sent()).toBe(350 + 5);
  });

  test("and a deletion refused after a lost answer says that it may have been done", async () => {
    const { media, errorOf } = client([reset, () => Response.json({ code: 9999, msg: "no such task" })]);
    const error = await errorOf(media.video.delete(["t-1"]));
    expect(error).toMatchObject({
      name: "ServiceError",
      code: 9999,
      message: expect.stringContaining("perhaps the tasks are already deleted"),
    });
    const atOnce = client([() => Response.json({ code: 9999, msg: "no such task" })]);
    expect(String(await errorOf(atOnce.media.video.delete(["t-1"])))).not.toContain("already deleted");
  });

  test("and an abort ends the pause before another try at once", async () => {
    const controller = new AbortController();
    const fetch = async () => {
      queueMicrotask(() => controller.abort("enough"));
      throw reset;
    };
    const media = createMediaGen({ baseUrl: "http://localhost", random: () => 1, fetch });
    await expect(media.video.query("t-1", { signal: controller.signal })).rejects.toBe("enough");
  });
});

describe("time limits", () => {
  /** A client whose answer never comes, or never ends: each limit passes as soon as nothing else is left to do. */
  const slow = (fetch: () => Promise<Response>, options: MediaGenOptions) =>
    createMediaGen({
      baseUrl: "http://localhost",
      retries: 0,
      timeoutMs: 20,
      generateTimeoutMs: 20,
      ...timePasses(),
      ...options,
      fetch,
    });
  const timePasses = (): MediaGenOptions => {
    let now = 0;
    const sleep = (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        setImmediate(() => ((now += signal.aborted ? 0 : ms), resolve()));
      });
    return { now: () => now, sleep };
  };
  const noAnswer = () => new Promise<Response>(() => undefined);
  const noMore = async () => new Response(new ReadableStream());

  test.for<[string, () => Promise<Response>, MediaGenOptions, RegExp]>([
    ["a call that is not over", noAnswer, {}, /the call took longer than 20 ms/],
    ["an answer that does not begin", noAnswer, { headersTimeoutMs: 10 }, /had left, and no answer began within 10 ms/],
    ["an answer that stands still", noMore, { stallTimeoutMs: 10 }, /the answer stood still for 10 ms/],
    [
      "an answer that stands still for longer than the call may take",
      noMore,
      { stallTimeoutMs: 30 },
      /the call took longer than 20 ms/,
    ],
  ])("%s leaves a generation unknown and ends a query", async ([, fetch, options, message]) => {
    const media = slow(fetch, options);
    const generation: unknown = await media.image
      .generate("imgmodelz", { prompt: "x" })
      .catch((error: unknown) => error);
    expect(generation).toBeInstanceOf(OutcomeUnknownError);
    expect((generation as Error).message).toMatch(message);
    await expect(media.image.query("t-1")).rejects.toThrow(message);
  });
});
