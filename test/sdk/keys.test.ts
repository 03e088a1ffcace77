import {
  blobs,
  createMediaGen,
  type MediaGen,
  MediaGenError,
  type MediaGenOptions,
} from "@mediagen/sdk";
import { createHttpClient } from "@mediagen/sdk/http";
import { afterEach, describe, expect, test, vi } from "vitest";
import { shown } from "../shown.ts";
import { clientOf, errorOf, fails, gate, type Reply, success } from "./fake-service.ts";

/** Quotes, slashes and signs: every way of writing it differs from the others. */
const key = 'sk-"canary"/\\+%~1';
const hidden = "[the API key]";

/** A client with the key whose requests all get one reply. */
const clientWith = (reply: Reply, options: MediaGenOptions = {}) =>
  clientOf([reply], { apiKey: key, ...options });
const rejection = (msg: string) => Response.json({ code: 9999, msg });
/** The errors of a generation and of a query. */
const errorsOf = async (media: MediaGen): Promise<readonly unknown[]> => [
  await errorOf(media.image.generate("imgmodelz", { prompt: "A fox" })),
  await errorOf(media.video.query("t-1")),
];

const inJSON = JSON.stringify(key).slice(1, -1);
const codeOf = (char: string) =>
  `\\u${char.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}`;
const spellings: Readonly<Record<string, string>> = {
  "as it is": key,
  "as JSON": inJSON,
  "as JSON with slashes escaped": inJSON.replaceAll("/", "\\/"),
  "as code points": [...key].map(codeOf).join(""),
  "in a URL": encodeURIComponent(key),
};
/** The key in any spelling, or its distinctive part. */
const anySpelling = /canary|\\u0063\\u0061\\u006e/i;

describe("a key that the service repeats is in nothing that the SDK shows", () => {
  const responses: Readonly<Record<string, (spelled: string) => Response>> = {
    "a rejection": (spelled) => new Response(`{"code":9999,"msg":"bad key ${spelled}"}`),
    "HTML under 403": (spelled) => new Response(`<p>${spelled}</p>`, { status: 403 }),
    "an unknown code": (spelled) =>
      new Response(`{"code":7,"msg":"${spelled}","data":{"why":["${spelled}"]}}`),
    "a server error": (spelled) => new Response(spelled, { status: 500 }),
  };
  test.for(
    Object.keys(spellings).flatMap((how) =>
      Object.keys(responses).map((where) => [how, where] as const),
    ),
  )("%s, in %s", async ([how, where]) => {
    const { media } = clientWith(
      () => responses[where]?.(spellings[how] ?? "") ?? Response.error(),
    );
    for (const error of await errorsOf(media)) {
      expect(error).toBeInstanceOf(Error);
      expect(shown(error)).not.toMatch(anySpelling);
      expect(shown(error)).toContain(hidden);
    }
  });

  test("and in no record, but a task stays reachable", async () => {
    const kept = { taskid: `t-${key}`, url: [`http://localhost/${key}`] };
    const { media } = clientWith(() =>
      success({
        ...kept,
        message: `for ${key}`,
        deep: [{ inner: [key] }],
        uses: { [key]: 1 },
        all: [{ [`a ${key}`]: 2 }],
      }),
    );
    const names = { uses: { [hidden]: 1 }, all: [{ [`a ${hidden}`]: 2 }] };
    const record = { ...kept, message: `for ${hidden}`, deep: [{ inner: [hidden] }], ...names };
    expect(await media.image.query(kept.taskid)).toEqual(record);
  });
});

describe("the key is in nothing that the SDK shows", () => {
  const circle = new Error(`sent ${key}`);
  circle.cause = circle;
  class OwnName extends Error {
    override readonly name = "OwnName";
    override readonly message = `with ${key}`;
    override readonly toString = () => key;
  }
  test.for<[string, (request: Request) => unknown]>([
    ["a cause", () => new TypeError("failed", { cause: new Error(`header ${key}`) })],
    ["a circle of causes", () => circle],
    ["a text that is thrown", () => `no ${key}`],
    ["an error that cannot be changed", () => Object.freeze(new Error(key))],
    ["an error with fields of its own", () => Object.freeze(new OwnName())],
    ["an error with a request", (request) => Object.assign(new Error("failed"), { request })],
    [
      "an error with headers",
      ({ headers }) => Object.assign(new Error("failed"), { headers: new Map(headers) }),
    ],
    [
      "one of several errors",
      ({ headers }) => new AggregateError([new Error(`${headers.get("authorization")}`)]),
    ],
    ["an object that is thrown", (request) => ({ failed: request })],
  ])("if a fetch function rejects with %s", async ([, make]) => {
    const { media, events } = clientWith((request) => Promise.reject(make(request)));
    for (const error of await errorsOf(media)) {
      expect(error instanceof MediaGenError).toBe(true);
      expect(shown(error)).not.toMatch(anySpelling);
    }
    expect(shown(events)).not.toMatch(anySpelling);
  });

  test("while an error keeps the rest: its name, message, stack, code and causes", async () => {
    const why = Object.assign(new RangeError("why"), { code: "EPIPE", syscall: "write" });
    const facts = {
      name: "RangeError",
      message: "why",
      stack: why.stack,
      code: "EPIPE",
      syscall: "write",
    };
    for (const [thrown, more] of [
      [new TypeError("failed", { cause: why }), {}],
      [new AggregateError([why], "failed", { cause: why }), { errors: [facts] }],
    ] as const) {
      const { name, message, stack } = thrown;
      const { cause } = (await errorOf(
        clientWith(fails(thrown)).media.video.query("t-1"),
      )) as Error;
      expect(cause).toBeInstanceOf(Error);
      expect(cause).toMatchObject({ name, message, stack, cause: facts, ...more });
    }
  });

  test("if many keys are in use at once", async () => {
    let keys = 0;
    let arrived = 0;
    const all = gate();
    const reply = async ({ headers }: Request) => {
      if (++arrived === 20) all.resolve();
      await all.promise;
      return rejection(`no ${headers.get("authorization")}`);
    };
    const { media } = clientWith(reply, { apiKey: () => `sk-canary-${keys++ + 10}` });
    const queries = await Promise.all(
      Array.from({ length: 20 }, () => errorOf(media.video.query("t-1"))),
    );
    for (const error of queries) expect(error).toMatchObject({ msg: `no ${hidden}` });
  });

  test("if the URL of a result has the key of an earlier request", async () => {
    const keys = ["sk-canary-1", "sk-canary-2"];
    const record = { taskid: "t-1", url: ["ftp://media.example/sk-canary-1.png"], image_status: 2 };
    const { media } = clientWith(() => success(record), {
      apiKey: () => keys.shift() ?? "sk-canary-3",
    });
    const task = media.image.task("t-1");
    await task.check();
    await media.image.query("t-1");
    const error = await errorOf(blobs(task));
    expect(decodeURI(String(error))).toContain(hidden);
    expect(shown(error)).not.toMatch(anySpelling);
  });

  test("if it is short and a word of its own", async () => {
    const { media } = clientWith(() => rejection("invalid key s3cr3t!, see s3cr3t"), {
      apiKey: "s3cr3t",
    });
    for (const error of await errorsOf(media)) expect(shown(error)).not.toContain("s3cr3t");
    const other = clientWith(() => rejection("Network error"), { apiKey: "k" });
    expect(await errorOf(other.media.video.query("t-1"))).toMatchObject({ msg: "Network error" });
  });

  test.for(["data", "any", "code", "1", "network"])(
    "but a placeholder is not searched for in records, because it is a word of many prompts: %s",
    async (apiKey) => {
      const { media, generate } = clientWith(
        () => success({ taskid: "t-1", prompt: "any fox in a network" }),
        {
          apiKey,
        },
      );
      expect((await generate()).taskid).toBe("t-1");
      expect(await media.video.query("t-1")).toMatchObject({ prompt: "any fox in a network" });
    },
  );

  test("if the client, its parts and its tasks are inspected", async () => {
    const { media, generate } = clientWith(() => success({ taskid: "t-1" }));
    const http = createHttpClient({ baseUrl: "http://localhost", apiKey: key });
    for (const value of [media, http, media.video, await generate()])
      expect(shown(value)).not.toMatch(anySpelling);
  });
});

describe("the key leaves only where it is safe", () => {
  afterEach(() => void vi.unstubAllGlobals());
  const create =
    (options: MediaGenOptions = {}) =>
    () =>
      createMediaGen({ baseUrl: "http://localhost", ...options });
  /** An InvalidRequestError about this field. */
  const about = (field: string): unknown =>
    expect.objectContaining({
      name: "InvalidRequestError",
      issues: [expect.objectContaining({ field })],
    });

  test.for([
    "media.example.com",
    "10.0.0.1",
    "localhost.example.com",
    "127.evil.example",
    "127.0.0.1.evil.example",
  ])("not over http to another machine, unless you allow it: %s", (host) => {
    expect(create({ baseUrl: `http://${host}` })).toThrow(about("baseUrl"));
    expect(create({ baseUrl: `http://${host}`, allowHttp: true })).not.toThrow();
  });

  test.for([
    "http://localhost:1",
    "http://a.localhost",
    "http://127.8.0.1",
    "http://[::1]",
    "https://media.example.com",
  ])("over https, or on this machine: %s", (baseUrl) => expect(create({ baseUrl })).not.toThrow());

  test.for<[string, string, unknown]>([
    ["a page", "document", {}],
    ["a page's worker", "navigator", { userAgent: "Mozilla/5.0 (X11; Linux x86_64)" }],
  ])("not from a browser, unless you allow it: %s", ([, name, value]) => {
    vi.stubGlobal(name, value);
    expect(create()).toThrow(about("allowBrowser"));
    expect(create({ allowBrowser: true })).not.toThrow();
  });

  test.for(["Node.js/24", "Deno/2.1", "Bun/1.3", "Cloudflare-Workers", undefined])(
    "from a server: %s",
    (userAgent) => {
      vi.stubGlobal("window", {});
      vi.stubGlobal("navigator", { userAgent });
      expect(create()).not.toThrow();
    },
  );
});

test("a function that never returns its key is called once: a call ends after its timeout", async () => {
  let calls = 0;
  const apiKey = () => {
    calls++;
    return new Promise<string>(() => undefined);
  };
  const { media } = clientOf([() => success({})], {
    apiKey,
    passing: ["limit", "pause"],
    retries: 4,
  });
  await expect(media.video.query("t-1")).rejects.toThrow("the call took longer than");
  expect(calls).toBe(1);
});
