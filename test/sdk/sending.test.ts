import { ConnectionError, OutcomeUnknownError, type MediaGenOptions } from "@mediagen/sdk";
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
  sharedStore,
  type Reply,
} from "./fake-service.ts";

// What follows from each response, timeout and redirect is in test/faults/matrix.test.ts and
// status-by-envelope.txt.

const task: Reply = () => created("t-1");
const status =
  (code: number, headers: Record<string, string> = {}): Reply =>
  () =>
    new Response("", { status: code, headers });
const reset = fetchError({ code: "ECONNRESET", syscall: "read" });

/** A client that retries, with jitter at its most. */
const client = (replies: readonly Reply[], options: MediaGenOptions = {}) =>
  clientOf(replies, { retries: 4, clock: { random: () => 1 }, ...options });

const of = (code: string, syscall?: string) => fetchError({ code, ...(syscall && { syscall }) });
const withCauses = (...causes: readonly unknown[]) =>
  new TypeError("fetch failed", { cause: new AggregateError(causes) });
const beforeTLS = "Client network socket disconnected before secure TLS connection was established";
const tunnelRefused = "Proxy response (403) !== 200 when HTTP Tunneling";
/** What Node's fetch rejects with if a proxy rejects a CONNECT. */
const noTunnel = new TypeError("fetch failed", {
  cause: new Error("Request was cancelled.", {
    cause: Object.assign(new Error(tunnelRefused), { code: "ABORTED" }),
  }),
});

describe("a generation is retried only if it provably was not sent", () => {
  test.for<[string, Error]>([
    ["connection refused", connectionRefused],
    ["name not found", of("ENOTFOUND", "getaddrinfo")],
    ["name not looked up", of("EAI_AGAIN", "getaddrinfo")],
    ["no route", of("EHOSTUNREACH", "connect")],
    ["connect timeout of Node's fetch", of("UND_ERR_CONNECT_TIMEOUT")],
    ["no socket left", of("EMFILE", "connect")],
    ["no socket left to look a name up", of("EMFILE", "getaddrinfo")],
    ["an invalid URL", of("ERR_INVALID_URL")],
    ["a port that fetch blocks", fetchError({ message: "bad port" })],
    ["only HTTP/2", of("ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL")],
    ["a proxy that opens no tunnel", noTunnel],
    ["closed during the TLS handshake", fetchError({ code: "ECONNRESET", message: beforeTLS })],
    ["every address closed", withCauses(connectionRefused.cause, connectionRefused.cause)],
    [
      "no connection, in Bun",
      Object.assign(new Error("Unable to connect"), { code: "ECONNREFUSED" }),
    ],
    [
      "no connection, in Deno",
      fetchError({}, "error sending request: client error (Connect): tcp connect error"),
    ],
  ])("%s", async ([, error]) => {
    const once = client([fails(error), task]);
    expect([(await once.generate()).taskid, once.sent()]).toEqual(["t-1", 2]);
    const always = client([fails(error)]);
    expect(await errorOf(always.generate())).toBeInstanceOf(ConnectionError);
    // Full jitter, here at its most: twice as long each time.
    expect([always.sent(), always.pauses]).toEqual([5, [500, 1_000, 2_000, 4_000]]);
  });

  test.for(["DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID"])(
    "but not after a bad certificate, which a retry does not change: %s",
    async (code) => {
      const { generate, sent } = client([fails(of(code))]);
      expect(await errorOf(generate())).toBeInstanceOf(ConnectionError);
      expect(sent()).toBe(1);
    },
  );

  test.for<[string, Error]>([
    ["reset while reading", reset],
    ["reset while writing", of("ECONNRESET", "write")],
    ["a broken pipe", of("EPIPE", "write")],
    ["the other side closed", of("UND_ERR_SOCKET")],
    ["headers timeout", of("UND_ERR_HEADERS_TIMEOUT")],
    ["timed out, but not while connecting", of("ETIMEDOUT", "read")],
    ["no route any more, but not while connecting", of("EHOSTUNREACH", "read")],
    ["no route any more, without a system call", of("EHOSTUNREACH")],
    ["one of two addresses was reached", withCauses(connectionRefused.cause, reset.cause)],
    ["no address tried", withCauses()],
    ["a browser's words", new TypeError("Failed to fetch")],
    ["any other error", new RangeError("what")],
    ["http instead of https, or a TLS record that is not one", of("ERR_SSL_WRONG_VERSION_NUMBER")],
    ["a TLS session that breaks", of("ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC")],
    [
      "an alert of TLS, in node-fetch",
      Object.assign(new Error(), { code: "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL" }),
    ],
    ["no socket left for something else", of("EMFILE", "open")],
    ["words of a tunnel in another error", new RangeError("failed", { cause: noTunnel.cause })],
  ])("after %s, its outcome is unknown", async ([, error]) => {
    const { generate, sent, pauses } = client([fails(error), task]);
    expect(await errorOf(generate())).toBeInstanceOf(OutcomeUnknownError);
    expect([sent(), pauses]).toEqual([1, []]);
  });

  test("after pauses that have a cap", async () => {
    const { generate, pauses } = client([neverSent], { retries: 7 });
    await errorOf(generate());
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });
});

const retryAfter = { "retry-after": "1" };
const failed: Reply = () =>
  Response.json({ code: 9999, msg: "no" }, { status: 503, headers: retryAfter });
test.for<[string, Reply, sent: number, sentIfOptedIn: number]>([
  ["503 with Retry-After", status(503, retryAfter), 1, 2],
  ["503 without Retry-After", status(503), 1, 1],
  ["503 with a failure in an envelope", failed, 1, 1],
  ["421", status(421), 1, 2],
  ["425", status(425), 1, 2],
  ["500", status(500), 1, 1],
])("a generation is retried after HTTP %s only if you opt in", async ([, reply, ...counts]) => {
  for (const [index, options] of [
    {},
    { resendGenerationAfter: [421, 425, 503] as const },
  ].entries()) {
    const { generate, sent } = client([reply, task], options);
    await errorOf(generate());
    expect(sent()).toBe(counts[index]);
  }
});

test("a Retry-After of more than a minute ends the retries at once, and the error has it", async () => {
  const limited = (seconds: string) => status(429, { "retry-after": seconds });
  const { generate, sent, pauses } = client([limited("60"), limited("61"), task]);
  expect(await errorOf(generate())).toMatchObject({ name: "RateLimitError", retryAfterMs: 61_000 });
  // And jitter, here at its most.
  expect([sent(), pauses]).toEqual([2, [60_500]]);
});

test("retries of queries have a budget, so that a service that is down sees no storm", async () => {
  let reply = fails(reset);
  const { media, generate, sent } = client([(request) => reply(request)]);
  const sentBy = async (calls: number) => {
    const before = sent();
    for (let call = 0; call < calls; call++) await errorOf(media.video.query("t-1"));
    return sent() - before;
  };
  expect(await sentBy(50)).toBe(50 + 20);
  // Five responses return one retry.
  reply = task;
  await sentBy(5);
  reply = fails(reset);
  expect(await sentBy(2)).toBe(2 + 1);
  // It has a maximum, and generations do not need it.
  reply = task;
  await sentBy(300);
  reply = fails(reset);
  expect(await sentBy(30)).toBe(30 + 20);
  reply = neverSent;
  const before = sent();
  await errorOf(generate());
  expect(sent() - before).toBe(5);
});

describe("an abort", () => {
  test("during the call of a key function sends nothing either, and no entry says that it was sent", async () => {
    const controller = new AbortController();
    const store = sharedStore();
    const { generate, sent } = clientOf([], {
      store,
      async apiKey() {
        controller.abort("enough");
        return "key";
      },
    });
    await expect(generate("order-1", "A fox", controller.signal)).rejects.toBe("enough");
    await new Promise(setImmediate);
    expect([store.states(), sent()]).toEqual([["claimed", "notCreated"], 0]);
  });

  test("while sending leaves a generation unknown, and ends a query with the reason", async () => {
    for (const isPaid of [true, false]) {
      const controller = new AbortController();
      // Even if the fetch function ignores the signal.
      const { media, generate } = clientOf([
        () => {
          queueMicrotask(() => controller.abort("enough"));
          return forever();
        },
      ]);
      const { signal } = controller;
      const error = await errorOf(
        isPaid ? generate(undefined, "A fox", signal) : media.image.query("t-1", { signal }),
      );
      if (isPaid) expect(error).toMatchObject({ name: "OutcomeUnknownError", cause: "enough" });
      else expect(error).toBe("enough");
    }
  });

  test("ends the pause before a retry at once", async () => {
    const controller = new AbortController();
    const { media, sent } = client([fails(reset)], { onEvent: () => controller.abort("enough") });
    await expect(media.video.query("t-1", { signal: controller.signal })).rejects.toBe("enough");
    expect(sent()).toBe(1);
  });
});
