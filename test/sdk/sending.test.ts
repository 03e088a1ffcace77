import {
  ConnectionError,
  InsufficientCreditsError,
  OutcomeUnknownError,
  ServiceError,
  type MediaGenOptions,
} from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import {
  clientOf,
  connectionRefused,
  created,
  errorOf,
  fails,
  fetchError,
  forever,
  neverSent,
  success,
  type Reply,
} from "./fake-service.ts";

const task: Reply = () => created("t-1");
const withCauses = (...causes: readonly unknown[]) =>
  new TypeError("fetch failed", { cause: new AggregateError(causes) });
/** What Node's fetch rejects with if a proxy says 403 to CONNECT. */
const tunnelRefused = new TypeError("fetch failed", {
  cause: new Error("Request was cancelled.", {
    cause: Object.assign(new Error("Proxy response (403) !== 200 when HTTP Tunneling"), { code: "UND_ERR_ABORTED" }),
  }),
});
const reset = fetchError({ code: "ECONNRESET", syscall: "read" });
const limited =
  (retryAfter?: string): Reply =>
  () =>
    new Response("", { status: 429, headers: retryAfter === undefined ? {} : { "retry-after": retryAfter } });

/** A client that retries, with jitter at its most. */
const client = (replies: readonly Reply[], options: MediaGenOptions = {}) =>
  clientOf(replies, { retries: 4, clock: { random: () => 1 }, ...options });

describe("a generation is sent again only where it provably was not sent", () => {
  test.for<[string, Error]>([
    ["connection refused", connectionRefused],
    ["name not found", fetchError({ code: "ENOTFOUND", syscall: "getaddrinfo" })],
    ["name not looked up", fetchError({ code: "EAI_AGAIN", syscall: "getaddrinfo" })],
    ["no route", fetchError({ code: "EHOSTUNREACH", syscall: "connect" })],
    ["connect timeout of Node's fetch", fetchError({ code: "UND_ERR_CONNECT_TIMEOUT" })],
    ["no socket left", fetchError({ code: "EMFILE", syscall: "connect" })],
    ["no socket left to look a name up", fetchError({ code: "EMFILE", syscall: "getaddrinfo" })],
    ["a URL that is none", fetchError({ code: "ERR_INVALID_URL" })],
    ["a port that fetch blocks", fetchError({ message: "bad port" })],
    ["http where https should be", fetchError({ code: "ERR_SSL_WRONG_VERSION_NUMBER" })],
    ["only HTTP/2", fetchError({ code: "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL" })],
    ["a proxy that opens no tunnel", tunnelRefused],
    [
      "closed before TLS stood",
      fetchError({
        code: "ECONNRESET",
        message: "Client network socket disconnected before secure TLS connection was established",
      }),
    ],
    ["every address refused", withCauses(connectionRefused.cause, connectionRefused.cause)],
    ["refused, as Bun says it", Object.assign(new Error("Unable to connect"), { code: "ECONNREFUSED" })],
    [
      "refused, as Deno says it",
      fetchError({}, "error sending request for url: client error (Connect): tcp connect error"),
    ],
  ])("%s", async ([, error]) => {
    const once = client([fails(error), task]);
    expect((await once.generate()).taskid).toBe("t-1");
    expect(once.sent()).toBe(2);
    const always = client([fails(error)]);
    expect(await errorOf(always.generate())).toBeInstanceOf(ConnectionError);
    expect(always.sent()).toBe(5);
    // Full jitter, here at its most: twice as long each time.
    expect(always.pauses).toEqual([500, 1_000, 2_000, 4_000]);
  });

  test("and after pauses that have a cap", async () => {
    const { generate, pauses } = client([neverSent], { retries: 7 });
    await errorOf(generate());
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  test("a bad certificate is told at once", async () => {
    for (const code of ["DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID"]) {
      const { generate, sent } = client([fails(fetchError({ code }))]);
      expect(await errorOf(generate())).toBeInstanceOf(ConnectionError);
      expect(sent()).toBe(1);
    }
  });

  test.for<[string, Error]>([
    ["reset while reading", reset],
    ["reset while writing", fetchError({ code: "ECONNRESET", syscall: "write" })],
    ["a broken pipe", fetchError({ code: "EPIPE", syscall: "write" })],
    ["the other side closed", fetchError({ code: "UND_ERR_SOCKET" })],
    ["headers timeout", fetchError({ code: "UND_ERR_HEADERS_TIMEOUT" })],
    ["timed out, but not while connecting", fetchError({ code: "ETIMEDOUT", syscall: "read" })],
    ["no route any more, but not while connecting", fetchError({ code: "EHOSTUNREACH", syscall: "read" })],
    ["no route any more, without a system call", fetchError({ code: "EHOSTUNREACH" })],
    ["one of two addresses was reached", withCauses(connectionRefused.cause, reset.cause)],
    ["no address tried", withCauses()],
    ["a browser's words", new TypeError("Failed to fetch")],
    ["whatever else", new RangeError("what")],
    ["a TLS session that breaks", fetchError({ code: "ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC" })],
    ["no socket left for something else", fetchError({ code: "EMFILE", syscall: "open" })],
    ["words of a tunnel in another error", new RangeError("Proxy response (403) !== 200 when HTTP Tunneling")],
  ])("but not after %s: its outcome is unknown", async ([, error]) => {
    const { generate, sent, pauses } = client([fails(error), task]);
    expect(await errorOf(generate())).toBeInstanceOf(OutcomeUnknownError);
    expect([sent(), pauses]).toEqual([1, []]);
  });
});

test("a failure under 503 is not sent again, also where the caller opts in: what failed is not known", async () => {
  const failed = () => Response.json({ code: 9999, msg: "no" }, { status: 503, headers: { "retry-after": "1" } });
  const { generate, sent } = client([failed, task], { resendGenerationAfter: [503] });
  expect(await errorOf(generate())).toBeInstanceOf(OutcomeUnknownError);
  expect(sent()).toBe(1);
});

describe("HTTP 429", () => {
  test("is followed by another try after Retry-After, for generations too", async () => {
    const { generate, media, pauses, sent } = client([limited("60"), limited(), task, limited("7"), task]);
    expect((await generate()).taskid).toBe("t-1");
    await media.image.query("t-1");
    expect([sent(), pauses]).toEqual([5, [60_000, 1_000, 7_000]]);
  });

  test("is followed by so many tries and no more", async () => {
    const { generate, sent } = client([limited("0")], { retries: 3 });
    expect(await errorOf(generate())).toMatchObject({ name: "RateLimitError", status: 429 });
    expect(sent()).toBe(4);
  });

  test("with a Retry-After beyond a minute is told, with how long", async () => {
    const { generate, sent } = client([limited("2592000")]);
    expect(await errorOf(generate())).toMatchObject({
      name: "RateLimitError",
      status: 429,
      retryAfterMs: 2_592_000_000,
    });
    expect(sent()).toBe(1);
  });

  test("with the credits out is not tried again", async () => {
    const { generate, sent } = client([() => Response.json({ code: 9000, msg: "" }, { status: 429 })]);
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
    const { generate, sent } = client([reply, task], options);
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
      fails(reset),
      () => new Response("", { status: 502 }),
      fails(new TypeError("Failed to fetch")),
      task,
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
      const { media, sent } = client([reply, task]);
      expect(await errorOf(media.video.query("t-1"))).toBeInstanceOf(ServiceError);
      expect(sent()).toBe(1);
    }
  });

  test("within a budget, so that a service that is down sees no storm", async () => {
    const { media, sent } = client([fails(reset)]);
    for (let call = 0; call < 50; call++) await errorOf(media.video.query("t-1"));
    expect(sent()).toBe(50 + 20);
  });

  test("which a long good time does not enlarge, and which generations do not need", async () => {
    const { media, generate, sent } = client([...Array<Reply>(300).fill(task), neverSent]);
    for (let call = 0; call < 300; call++) await media.video.query("t-1");
    for (let call = 0; call < 30; call++) await errorOf(media.video.query("t-1"));
    expect(sent()).toBe(300 + 30 + 20);
    await errorOf(generate());
    expect(sent()).toBe(350 + 5);
  });

  test("to which five responses return one retry", async () => {
    let reply = fails(reset);
    const { media, sent } = client([(request) => reply(request)]);
    for (let call = 0; call < 5; call++) await errorOf(media.video.query("t-1"));
    reply = task;
    for (let call = 0; call < 5; call++) await media.video.query("t-1");
    reply = fails(reset);
    const before = sent();
    for (let call = 0; call < 2; call++) await errorOf(media.video.query("t-1"));
    expect([before, sent()]).toEqual([5 + 20 + 5, 30 + 2 + 1]);
  });

  test("so a success that cannot be read is repeated", async () => {
    for (const unreadable of ["<html></html>", '{"code":1000,"msg":"","da', ""]) {
      const { media, sent } = client([
        () => new Response(unreadable),
        () => success({ url: ["1"], status: "Success" }),
      ]);
      expect(await media.video.query("t-1")).toMatchObject({ url: ["1"] });
      expect(sent()).toBe(2);
      const deleting = client([() => new Response(unreadable), () => success({ status: "Success" })]);
      expect(await deleting.media.video.delete(["t-1"])).toEqual({ status: "Success" });
      const never = client([() => new Response(unreadable)]);
      expect(await errorOf(never.media.video.query("t-1"))).toBeInstanceOf(ServiceError);
      expect(never.sent()).toBe(5);
    }
  });

  test("and an abort ends the pause before another try at once", async () => {
    const controller = new AbortController();
    const onEvent = () => controller.abort("enough");
    const { media, sent } = client([fails(reset)], { onEvent });
    await expect(media.video.query("t-1", { signal: controller.signal })).rejects.toBe("enough");
    expect(sent()).toBe(1);
  });
});

describe("time limits", () => {
  const endless = async () => new Response(new ReadableStream());

  test.for<[string, Reply]>([
    ["a response that does not begin", forever],
    ["a response that stalls", endless],
  ])("%s leaves a generation unknown and ends a query", async ([, reply]) => {
    const message = "the call took longer than 0.02 s";
    const { media, generate } = clientOf([reply], { passing: ["limit"], queryTimeoutMs: 20, generateTimeoutMs: 20 });
    const generation = await errorOf(generate());
    expect(generation).toBeInstanceOf(OutcomeUnknownError);
    expect((generation as Error).message).toContain(message);
    await expect(media.image.query("t-1")).rejects.toThrow(message);
  });
});
