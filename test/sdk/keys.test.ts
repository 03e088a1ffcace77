import {
  blobs,
  createMediaGen,
  MediaGenError,
  AuthenticationError,
  type MediaGen,
  type MediaGenOptions,
} from "@mediagen/sdk";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createHttpClient } from "@mediagen/sdk/http";
import { shown } from "../shown.ts";
import { clientOf, errorOf, gate, type Reply, success } from "./fake-service.ts";

/** Quotes, slashes and signs: every way of writing it differs from the others. */
const key = 'sk-"canary"/\\+%~1';
const hidden = "[the API key]";

/** A client with the key whose requests all get one reply. */
const clientWith = (reply: Reply, options: MediaGenOptions = {}) => clientOf([reply], { apiKey: key, ...options });

const callsOf = (media: MediaGen) => [
  () => media.image.generate("imgmodelz", { prompt: "A fox" }),
  () => media.video.query("t-1"),
];

const spellings: Readonly<Record<string, string>> = {
  "as it is": key,
  "as JSON": JSON.stringify(key).slice(1, -1),
  "as JSON with slashes escaped": JSON.stringify(key).slice(1, -1).replaceAll("/", "\\/"),
  "as code points": [...key]
    .map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}`)
    .join(""),
  "in an address": encodeURIComponent(key),
};
/** The key in any spelling, or its telling part. */
const anySpelling = /canary|\\u0063\\u0061\\u006e/i;

describe("a key that the service repeats is in nothing that the SDK shows", () => {
  const answers: Readonly<Record<string, (spelled: string) => Response>> = {
    "a rejection": (spelled) => new Response(`{"code":9999,"msg":"bad key ${spelled}"}`),
    "HTML under 403": (spelled) => new Response(`<p>${spelled}</p>`, { status: 403 }),
    "an unknown code": (spelled) => new Response(`{"code":7,"msg":"${spelled}","data":{"why":["${spelled}"]}}`),
    "a server error": (spelled) => new Response(spelled, { status: 500 }),
  };
  test.for(Object.keys(spellings).flatMap((how) => Object.keys(answers).map((where) => [how, where] as const)))(
    "%s, in %s",
    async ([how, where]) => {
      const { media } = clientWith(() => answers[where]?.(spellings[how] ?? "") ?? Response.error());
      for (const call of callsOf(media)) {
        const error: unknown = await errorOf(call());
        expect(error).toBeInstanceOf(Error);
        expect(shown(error)).not.toMatch(anySpelling);
        expect(shown(error)).toContain(hidden);
      }
    },
  );

  test("and in no record, but a task stays reachable", async () => {
    const data = {
      taskid: `t-${key}`,
      url: [`http://localhost/${key}`],
      message: `for ${key}`,
      deep: [{ inner: [key] }],
    };
    const { media } = clientWith(() => success(data));
    const record = await media.image.query("t-1");
    expect(record).toMatchObject({
      taskid: data.taskid,
      url: data.url,
      message: `for ${hidden}`,
      deep: [{ inner: [hidden] }],
    });
  });

  test("and in no error of the transport", async () => {
    const circle = new Error(`sent ${key}`);
    circle.cause = circle;
    for (const thrown of [new TypeError("failed", { cause: new Error(`header ${key}`) }), circle, `no ${key}`]) {
      const { media } = clientWith(() => Promise.reject(thrown));
      for (const call of callsOf(media)) {
        const error: unknown = await errorOf(call());
        expect(error).toBeInstanceOf(MediaGenError);
        expect(shown(error)).not.toContain(key);
      }
    }
  });

  test("while an error stays as it was but for that: its name, message, stack, code and causes", async () => {
    const why = Object.assign(new RangeError("why"), { code: "EPIPE", syscall: "write" });
    for (const thrown of [
      new TypeError(`failed`, { cause: why }),
      new AggregateError([why], "failed", { cause: why }),
    ]) {
      const { media } = clientWith(() => Promise.reject(thrown));
      const { cause } = (await errorOf(media.video.query("t-1"))) as Error;
      const { name, message, stack } = thrown;
      const inner = {
        name: "RangeError",
        message: "why",
        stack: why.stack,
        code: "EPIPE",
        syscall: "write",
      };
      expect(cause).toBeInstanceOf(Error);
      expect(cause).toMatchObject({ name, message, stack, cause: inner });
      expect(cause instanceof AggregateError && cause.errors).toMatchObject(
        thrown instanceof AggregateError ? [inner] : {},
      );
    }
  });

  test("also if an error cannot be changed, or its fields have names of their own", async () => {
    class OwnName extends Error {
      override readonly name = "OwnName";
      override readonly message = `with ${key}`;
      override readonly toString = () => key;
    }
    for (const thrown of [Object.freeze(new OwnName()), Object.freeze(new Error(key))]) {
      const { media } = clientWith(() => Promise.reject(thrown));
      const error = (await errorOf(media.video.query("t-1"))) as Error;
      expect(error.cause).toMatchObject({ name: thrown.name });
      expect(shown(error)).not.toMatch(anySpelling);
    }
  });

  test("also where it hangs on an error of a fetch of the caller's, or what was thrown is no error", async () => {
    const thrown: ((request: Request) => unknown)[] = [
      (request) => Object.assign(new Error("failed"), { request }),
      (request) => Object.assign(new Error("failed"), { config: { headers: Object.fromEntries(request.headers) } }),
      (request) => new AggregateError([new Error(`with ${request.headers.get("authorization")}`)], "failed"),
      (request) => ({ failed: request }),
    ];
    for (const make of thrown) {
      const { media, events } = clientWith((request) => Promise.reject(make(request)));
      for (const call of callsOf(media)) expect(shown(await errorOf(call()))).not.toMatch(anySpelling);
      expect(shown(events)).not.toMatch(anySpelling);
    }
  });

  test("also where the key is another one by now, which is the one that is sent", async () => {
    const keys = ["sk-canary-1", "sk-canary-2", "sk-canary-3"];
    const left = [...keys];
    const sent: unknown[] = [];
    const { media } = clientWith(
      ({ headers }) => {
        sent.push(headers.get("authorization"));
        return Response.json({ code: 9999, msg: `no ${sent.at(-1)}` });
      },
      { apiKey: () => left.shift() ?? "" },
    );
    for (const _ of keys) await expect(media.video.query("t-1")).rejects.toMatchObject({ msg: `no ${hidden}` });
    expect(sent).toEqual(keys);
  });

  test("also each of many keys that are in use at once", async () => {
    let [keys, arrived] = [0, 0];
    const all = gate();
    const { media } = clientWith(
      async ({ headers }) => {
        if (++arrived === 20) all.resolve();
        await all.promise;
        return Response.json({ code: 9999, msg: `no ${headers.get("authorization")}` });
      },
      { apiKey: () => `sk-canary-${keys++ + 10}` },
    );
    const queries = await Promise.all(Array.from({ length: 20 }, () => errorOf(media.video.query("t-1"))));
    for (const error of queries) expect(error).toMatchObject({ msg: `no ${hidden}` });
  });

  test("also the key of an earlier request, in the URL of a result", async () => {
    const keys = ["sk-canary-1", "sk-canary-2"];
    const { media } = clientWith(
      () => success({ taskid: "t-1", url: ["ftp://media.example/sk-canary-1.png"], image_status: 2 }),
      { apiKey: () => keys.shift() ?? "sk-canary-3" },
    );
    const task = media.image.task("t-1");
    await task.check();
    await media.image.query("t-2");
    const error = await errorOf(blobs(task));
    expect(decodeURI(String(error))).toContain(hidden);
    expect(shown(error)).not.toMatch(anySpelling);
  });

  test("also a short one, where it stands as a word of its own", async () => {
    const { media } = clientWith(() => Response.json({ code: 9999, msg: "invalid key s3cr3t!, see s3cr3t" }), {
      apiKey: "s3cr3t",
    });
    for (const call of callsOf(media)) expect(shown(await errorOf(call()))).not.toContain("s3cr3t");
    const other = clientWith(() => Response.json({ code: 9999, msg: "Network error" }), { apiKey: "k" });
    expect(await errorOf(other.media.video.query("t-1"))).toMatchObject({ msg: "Network error" });
  });

  test("but a placeholder such as `any` is not searched for in records, because it is a word of many prompts", async () => {
    for (const apiKey of ["data", "any", "code", "1", "network"]) {
      const { media } = clientWith(() => success({ taskid: "t-1", prompt: "any fox in a network" }), { apiKey });
      expect((await media.image.generate("imgmodelz", { prompt: "A fox" })).taskid).toBe("t-1");
      expect(await media.video.query("t-1")).toMatchObject({ prompt: "any fox in a network" });
    }
  });
});

test("the client, its parts and its tasks show no key", async () => {
  const { media } = clientWith(() => success({ taskid: "t-1" }));
  const task = await media.image.generate("imgmodelz", { prompt: "A fox" });
  const http = createHttpClient({ baseUrl: "http://localhost", apiKey: key });
  for (const value of [media, http, media.video, task]) expect(shown(value)).not.toMatch(anySpelling);
});

/** An InvalidRequestError about this field. */
const about = (field: string): unknown =>
  expect.objectContaining({ name: "InvalidRequestError", issues: [expect.objectContaining({ field })] });

describe("a key goes over https, or stays on this machine", () => {
  test("so http to another machine is refused", () => {
    for (const baseUrl of [
      "http://media.example.com",
      "http://10.0.0.1",
      "http://localhost.example.com",
      "http://127.evil.example",
      "http://127.0.0.1.evil.example",
    ])
      expect(() => createMediaGen({ baseUrl })).toThrow(about("baseUrl"));
  });

  test("unless the caller allows it, or it is a loopback", () => {
    expect(() => createMediaGen({ baseUrl: "http://media.example.com", allowHttp: true })).not.toThrow();
    for (const baseUrl of [
      "http://localhost:1",
      "http://a.localhost",
      "http://127.8.0.1",
      "http://[::1]",
      "https://media.example.com",
    ]) {
      expect(() => createMediaGen({ baseUrl })).not.toThrow();
    }
  });
});

describe("a browser is refused", () => {
  afterEach(() => void vi.unstubAllGlobals());
  const create =
    (options: MediaGenOptions = {}) =>
    () =>
      createMediaGen({ baseUrl: "http://localhost", ...options });

  test("in a page and in its workers", () => {
    vi.stubGlobal("document", {});
    expect(create()).toThrow(about("allowBrowser"));
    vi.unstubAllGlobals();
    vi.stubGlobal("navigator", { userAgent: "Mozilla/5.0 (X11; Linux x86_64)" });
    expect(create()).toThrow(about("allowBrowser"));
  });

  test("unless the caller allows it", () => {
    vi.stubGlobal("document", {});
    expect(create({ allowBrowser: true })).not.toThrow();
  });

  test("while servers and their workers are none", () => {
    for (const userAgent of ["Node.js/24", "Deno/2.1", "Bun/1.3", "Cloudflare-Workers", undefined]) {
      vi.stubGlobal("window", {});
      vi.stubGlobal("navigator", { userAgent });
      expect(create()).not.toThrow();
    }
  });
});

test("a rejection for the key is told as such", async () => {
  const { media } = clientWith(() => new Response(JSON.stringify({ code: 9999, msg: key }), { status: 401 }));
  await expect(media.video.query("t-1")).rejects.toMatchObject({
    constructor: AuthenticationError,
    msg: hidden,
  });
});
