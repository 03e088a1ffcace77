import { inspect } from "node:util";
import {
  blobs,
  ConnectionError,
  createMediaGen,
  type Fetch,
  type FetchInit,
  type GenerateOptions,
  type InvalidRequestError,
  type IssueCode,
  type MediaGenOptions,
  memoryStore,
  waitAll,
  type WaitUpdate,
} from "@mediagen/sdk";
import { createHttpClient } from "@mediagen/sdk/http";
import { createMediaGen as createNodeMediaGen, download } from "@mediagen/sdk/node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { clientOf, created, errorOf, success } from "./fake-service.ts";

afterEach(() => void vi.unstubAllEnvs());

/** Where a client with these options sends a query, and with which key. */
async function whereTo(options: Parameters<typeof createMediaGen>[0]): Promise<unknown> {
  let seen: unknown;
  const media = createMediaGen({
    ...options,
    fetch: async (url, { headers }) => {
      seen = [url, headers["authorization"] ?? null];
      return success({ taskid: "t-1" });
    },
  });
  await media.video.query("t-1");
  return seen;
}

/** What a function throws. */
function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("it throws nothing");
}

/** An InvalidRequestError about this field. */
const about = (field: string): unknown =>
  expect.objectContaining({ name: "InvalidRequestError", issues: [expect.objectContaining({ field })] });

test("base URL and key come from the options, else from the environment", async () => {
  vi.stubEnv("MEDIAGEN_BASE_URL", "https://media.example.com/a/");
  vi.stubEnv("MEDIAGEN_API_KEY", "from-environment");
  expect(await whereTo({})).toEqual(["https://media.example.com/a/v1/video/infobytaskid", "from-environment"]);
  expect(await whereTo({ baseUrl: "http://localhost", apiKey: "given" })).toEqual([
    "http://localhost/v1/video/infobytaskid",
    "given",
  ]);
});

test("a key may be a function, asked for each call", async () => {
  const keys = ["first", "second"];
  const apiKey = async () => keys.shift() ?? "";
  const options = { baseUrl: "http://localhost", apiKey };
  expect([await whereTo(options), await whereTo(options)]).toMatchObject([
    [expect.anything(), "first"],
    [expect.anything(), "second"],
  ]);
});

test("without a key no Authorization is sent: the server at the base URL holds it", async () => {
  expect(await whereTo({ baseUrl: "http://localhost" })).toEqual(["http://localhost/v1/video/infobytaskid", null]);
});

test("a key that no header can carry is refused without being shown", async () => {
  await expect(whereTo({ baseUrl: "http://localhost", apiKey: "" })).rejects.toThrow(/apiKey is empty/);
  for (const apiKey of ["secret\nline", "secret–dash", " secret", "sécret"]) {
    const error: unknown = await errorOf(whereTo({ baseUrl: "http://localhost", apiKey }));
    expect(error, JSON.stringify(apiKey)).toEqual(about("apiKey"));
    expect(JSON.stringify(error) + String(error) + String((error as Error).stack)).not.toMatch(/s[eé]cret/);
  }
});

test("a fetch function is called as a function, and instructed to follow no redirect", async () => {
  const seen: unknown[] = [];
  function fetch(this: unknown, _: string, { redirect }: FetchInit): Promise<Response> {
    seen.push([this, redirect]);
    return Promise.resolve(success({ taskid: "t-1" }));
  }
  await createMediaGen({ baseUrl: "http://localhost", fetch }).video.query("t-1");
  expect(seen).toEqual([[undefined, "error"]]);
});

test("a blank variable of the environment is none", () => {
  vi.stubEnv("MEDIAGEN_BASE_URL", "");
  expect(() => createMediaGen()).toThrow(about("baseUrl"));
});

test("a key function that throws sends nothing and its error is the caller's", async () => {
  let calls = 0;
  const apiKey = () => (calls++, Promise.reject(new RangeError("no key today")));
  await expect(whereTo({ baseUrl: "http://localhost", apiKey })).rejects.toBeInstanceOf(RangeError);
  expect(calls).toBe(1);
});

test("a key that does not come ends the call in time, and nothing was sent", async () => {
  const { media, sent, now } = clientOf([], {
    apiKey: () => new Promise(() => undefined),
    queryTimeoutMs: 10,
    generateTimeoutMs: 10,
    passing: ["limit"],
  });
  const start = now();
  for (const call of [media.video.query("t-1"), media.video.generate("vidmodelv2", { prompt: "A fox" })]) {
    expect(await errorOf(call)).toBeInstanceOf(ConnectionError);
  }
  expect(sent()).toBe(0);
  expect(now() - start).toBeLessThan(100);
});

describe("a base URL that is none is refused", () => {
  test.for([
    "",
    "media.example.com",
    "ftp://localhost",
    "http://me:secret@localhost",
    "http://localhost?key=secret",
    "http://localhost/#a",
    "http://localhost/?",
    "http://localhost/#",
  ])("%j", (baseUrl) => {
    const error = thrownBy(() => createMediaGen({ baseUrl }));
    expect(error).toEqual(about("baseUrl"));
    expect(inspect(error)).not.toContain("secret");
  });
});

test("what limits something is a number: one that is none would limit nothing", async () => {
  const limits = ["queryTimeoutMs", "generateTimeoutMs", "retries"];
  for (const limit of limits) {
    for (const value of [Number.NaN, -1, "1000"]) {
      // The cast: what comes from an environment or a file may be anything.
      const options = { baseUrl: "http://localhost", [limit]: value } as MediaGenOptions;
      for (const create of [createMediaGen, createNodeMediaGen]) expect(() => create(options)).toThrow(about(limit));
    }
    expect(() => createNodeMediaGen({ baseUrl: "http://localhost", [limit]: Infinity })).not.toThrow();
  }
  const task = clientOf().media.video.task("t-1");
  for (const limit of ["maxBytes", "stallTimeoutMs"])
    await expect(blobs(task, { [limit]: Number.NaN })).rejects.toEqual(about(limit));
  await expect(task.wait({ waitTimeoutMs: "1000" as unknown as number })).rejects.toEqual(about("waitTimeoutMs"));
});

describe("an option that does not exist is rejected, and no value is shown", () => {
  const secret = "sk-secret-in-a-misspelled-option";
  const { media, sent } = clientOf([() => success({ taskid: "t-1", url: ["http://localhost/1.png"] })]);
  const task = media.image.task("t-1");

  test.for<[string, string, () => unknown]>([
    ["a client", "apikey", () => createMediaGen({ baseUrl: "http://localhost", apikey: secret } as object)],
    ["a client of Node", "maxQueryInFlight", () => createNodeMediaGen({ maxQueryInFlight: 3 } as object)],
    ["an HTTP client", "retries", () => createHttpClient({ baseUrl: secret, retries: 2 } as object)],
    [
      "a generation",
      "idempotencykey",
      () => media.image.generate("imgmodelz", { prompt: "A fox" }, { idempotencykey: secret } as object),
    ],
    ["a wait", "timeout", () => task.wait({ timeout: 5 } as object)],
    ["waits", "waitTimeout", () => waitAll([task], { waitTimeout: 5 } as object)],
    ["blobs", "maxbytes", () => blobs(task, { maxbytes: 5 } as object)],
    ["a download", "overWrite", () => download(task, "out", { overWrite: true } as object)],
  ])("%s", async ([, field, call]) => {
    const error = await errorOf((async () => call())());
    expect(error).toMatchObject({ name: "InvalidRequestError", issues: [{ field, code: "unknown" }] });
    expect(JSON.stringify(error) + inspect(error)).not.toContain(secret);
    expect(sent()).toBe(0);
  });

  test("unless it is undefined", () => {
    expect(() => createMediaGen({ baseUrl: "http://localhost", other: undefined } as object)).not.toThrow();
  });
});

test("options that are inherited, or getters of a class, are checked like others", async () => {
  class Defaults {
    readonly baseUrl = "http://localhost";
    get maxQueriesInFlight() {
      return Number.NaN;
    }
  }
  class Clock {
    readonly time = 5;
    readonly now = () => this.time;
  }
  expect(() => createMediaGen({ baseUrl: "http://localhost", clock: new Clock() })).not.toThrow();
  for (const options of [new Defaults(), Object.create(new Defaults()) as MediaGenOptions])
    expect(() => createMediaGen(options)).toThrow(about("maxQueriesInFlight"));
  expect(() => createMediaGen(Object.create({ nothing: 1 }) as MediaGenOptions)).toThrow(about("nothing"));
  const task = createMediaGen({ baseUrl: "http://localhost" }).image.task("t-1");
  const inherited = (options: object) => Object.create(options) as object;
  await expect(task.wait(inherited({ waitTimeoutMs: Number.NaN }))).rejects.toEqual(about("waitTimeoutMs"));
  await expect(task.check(inherited({ signal: "none" }))).rejects.toEqual(about("signal"));
});

test("options that are inherited, or getters of a class, count like others", async () => {
  const updates: unknown[] = [];
  class Settings {
    get apiKey() {
      return "of-the-class";
    }
    get headers() {
      return { "x-tenant": "of-the-class" };
    }
    get onUpdate() {
      return ({ state }: WaitUpdate) => void updates.push(state);
    }
    get signal() {
      return AbortSignal.abort(new Error("stop"));
    }
  }
  const { apiKey, headers } = Object.getOwnPropertyDescriptors(Settings.prototype);
  const settings = Object.create(Object.create(null, { apiKey, headers })) as MediaGenOptions;
  const seen: Headers[] = [];
  const fetch: Fetch = async (_, init) => (seen.push(new Headers(init.headers)), created("t-1"));
  const media = createMediaGen(Object.assign(settings, { baseUrl: "http://localhost", fetch }));
  await media.image.generate("imgmodelz", { prompt: "A fox" });
  expect(seen.map((sent) => [sent.get("authorization"), sent.get("x-tenant")])).toEqual([
    ["of-the-class", "of-the-class"],
  ]);

  const { onUpdate, signal } = Object.getOwnPropertyDescriptors(Settings.prototype);
  const task = media.image.task("t-1");
  await waitAll([task], Object.create(Object.create(null, { onUpdate })));
  expect(updates).toEqual(["succeeded"]);
  await expect(blobs(task, Object.create(Object.create(null, { signal })))).rejects.toThrow("stop");
});

describe("each option of a client that is of no type that any option has is rejected", () => {
  const { issues } = thrownBy(() => createNodeMediaGen({ nothing: 1 } as object)) as InvalidRequestError;
  const names = /one of (.*)\./.exec(issues[0]?.message ?? "")?.[1]?.split(", ") ?? [];

  test.for(names)("%s", (name) => {
    const options = { baseUrl: "http://localhost", [name]: Symbol("of no option") };
    expect(thrownBy(() => createNodeMediaGen(options))).toMatchObject({
      name: "InvalidRequestError",
      issues: [{ field: expect.stringMatching(new RegExp(`^${name}\\b`)) }],
    });
  });
});

describe("an option of the wrong type is rejected, and nothing is sent", () => {
  const { media, sent } = clientOf([], { store: memoryStore() });
  const task = media.image.task("t-1");
  const create = (options: object) => () => createNodeMediaGen({ baseUrl: "http://localhost", ...options });
  const generate = (options: unknown) => () =>
    media.image.generate("imgmodelz", { prompt: "A fox" }, options as GenerateOptions);

  test.for<[string, () => unknown, IssueCode?]>([
    ["allowHttp", create({ allowHttp: "false" })],
    ["resendGenerationAfter", create({ resendGenerationAfter: 503 })],
    ["apiKey", create({ apiKey: null })],
    ["baseUrl", create({ baseUrl: "sk-live-0123456789" })],
    ["options", () => createMediaGen("sk-live-0123456789" as MediaGenOptions)],
    ["options", () => createMediaGen(null as unknown as MediaGenOptions)],
    ["maxQueriesInFlight", create({ maxQueriesInFlight: "2" })],
    ["headers", create({ headers: "x" })],
    ["headers", create({ headers: new Headers() })],
    ["statuses.fail", create({ statuses: { fail: [3] } }), "unknown"],
    ["statuses", create({ statuses: 3 })],
    ["statuses.failed", create({ statuses: { failed: ["3"] } })],
    ["clock", create({ clock: Date.now })],
    ["agent", create({ agent: "http://user:secret@proxy" })],
    ["resultcount", () => media.image.task("t-1", { resultcount: 4 } as object), "unknown"],
    ["options", generate(null)],
    ["unchecked", generate({ unchecked: "false" })],
    ["signal", generate({ signal: { aborted: false } })],
    ["signal", generate({ signal: 5 })],
    ["signal", generate({ signal: new AbortController() })],
    ["headers", generate({ headers: "x" })],
    ["headers.Idempotency-Key", generate({ idempotencyKey: "a", headers: { "Idempotency-Key": "b" } }), "notAllowed"],
    ["signal", () => media.image.query("t-1", { signal: 5 } as object)],
    ["headers", () => media.image.query("t-1", { headers: null } as object)],
    ["signal", () => media.recover({ signal: 5 } as object)],
    ["onUpdate", () => task.wait({ onUpdate: 5 } as object)],
  ])("%s (%#)", async ([field, call, code = "invalid"]) => {
    const error = await errorOf((async () => call())());
    expect(error).toMatchObject({ name: "InvalidRequestError", issues: [{ field, code }] });
    expect(JSON.stringify(error) + inspect(error)).not.toContain("sk-live");
    expect(sent()).toBe(0);
  });
});
