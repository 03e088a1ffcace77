import {
  blobs,
  ConnectionError,
  createMediaGen,
  type Fetch,
  type InvalidRequestError,
  type MediaGenOptions,
  waitAll,
  type WaitUpdate,
} from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen } from "@mediagen/sdk/node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { clientOf, created, errorOf, success } from "./fake-service.ts";

// What a rejected option says is in messages.txt.

afterEach(() => void vi.unstubAllEnvs());

/** The URLs and keys of the queries of a client. */
async function whereTo(options: MediaGenOptions, queries = 1): Promise<unknown> {
  const seen: unknown[] = [];
  const fetch: Fetch = async (url, { headers }) => {
    seen.push([url, headers["authorization"]]);
    return success({ taskid: "t-1" });
  };
  const media = createMediaGen({ ...options, fetch });
  for (let query = 0; query < queries; query++) await media.video.query("t-1");
  return seen;
}

/** An InvalidRequestError about this field. */
const about = (field: string): unknown =>
  expect.objectContaining({
    name: "InvalidRequestError",
    issues: [expect.objectContaining({ field })],
  });

const baseUrl = "http://localhost";
const url = `${baseUrl}/v1/video/infobytaskid`;

describe("the base URL and the API key", () => {
  test("come from the options, else from the environment, in which a blank variable is none", async () => {
    vi.stubEnv("MEDIAGEN_BASE_URL", "");
    expect(() => createMediaGen()).toThrow(about("baseUrl"));
    vi.stubEnv("MEDIAGEN_BASE_URL", "https://media.example.com/a/");
    expect(await whereTo({})).toEqual([
      ["https://media.example.com/a/v1/video/infobytaskid", undefined],
    ]);
    vi.stubEnv("MEDIAGEN_API_KEY", "from-environment");
    expect(await whereTo({ baseUrl })).toEqual([[url, "from-environment"]]);
    expect(await whereTo({ baseUrl, apiKey: "given" })).toEqual([[url, "given"]]);
  });

  test("may be a function, which is called for each request, and whose error is the caller's", async () => {
    const keys = ["first", "second"];
    const sent = await whereTo({ baseUrl, apiKey: async () => keys.shift() ?? "" }, 2);
    expect(sent).toEqual([
      [url, "first"],
      [url, "second"],
    ]);
    const apiKey = vi.fn(() => Promise.reject(new RangeError("no key today")));
    await expect(whereTo({ baseUrl, apiKey })).rejects.toBeInstanceOf(RangeError);
    expect(apiKey).toHaveBeenCalledTimes(1);
  });

  test("end a call in time, with nothing sent, if the key does not come", async () => {
    const limits = { queryTimeoutMs: 10, generateTimeoutMs: 10, passing: ["limit"] as const };
    const { media, generate, sent, now } = clientOf([], {
      ...limits,
      apiKey: () => new Promise(() => undefined),
    });
    const start = now();
    for (const call of [media.video.query("t-1"), generate()])
      expect(await errorOf(call)).toBeInstanceOf(ConnectionError);
    expect([sent(), now() - start < 100]).toEqual([0, true]);
  });
});

describe("each option of a client", () => {
  const thrownBy = (options: object): unknown => {
    try {
      return createNodeMediaGen({ baseUrl, ...options });
    } catch (error) {
      return error;
    }
  };
  const { issues } = thrownBy({ nothing: 1 }) as InvalidRequestError;
  const names = /one of (.*)\./.exec(issues[0]?.message ?? "")?.[1]?.split(", ") ?? [];

  test.for(names)("is rejected if its type is wrong: %s", (name) => {
    const field = expect.stringMatching(new RegExp(`^${name}\\b`));
    expect(thrownBy({ [name]: Symbol("of no option") })).toMatchObject({
      name: "InvalidRequestError",
      issues: [{ field }],
    });
  });

  test("may be undefined, and a limit may be none", () => {
    const none = {
      queryTimeoutMs: Infinity,
      generateTimeoutMs: Infinity,
      retries: Infinity,
      other: undefined,
    };
    for (const create of [createMediaGen, createNodeMediaGen])
      expect(() => create({ baseUrl, ...none })).not.toThrow();
  });
});

test("options that are inherited, or getters of a class, are checked and used like others", async () => {
  class Settings {
    readonly baseUrl = baseUrl;
    readonly headers = { "x-tenant": "of-the-class" };
    get apiKey() {
      return "of-the-class";
    }
    get fetch(): Fetch {
      return async (_, { headers }) => {
        seen.push(headers["authorization"], headers["x-tenant"]);
        return created("t-1");
      };
    }
  }
  class Wrong extends Settings {
    get maxQueriesInFlight() {
      return Number.NaN;
    }
  }
  class Clock {
    readonly time = 5;
    readonly now = () => this.time;
  }
  const inherited = (options: object) => Object.create(options) as object;
  const seen: unknown[] = [];
  const media = createMediaGen(Object.assign(inherited(new Settings()), { clock: new Clock() }));
  const task = await media.image.generate("imgmodelz", { prompt: "A fox" });
  expect(seen).toEqual(["of-the-class", "of-the-class"]);
  const onUpdate = ({ state }: WaitUpdate) => void seen.push(state);
  await waitAll([task], inherited({ onUpdate }));
  expect(seen.at(-1)).toBe("succeeded");
  await expect(
    blobs(task, inherited({ signal: AbortSignal.abort(new Error("stop")) })),
  ).rejects.toThrow("stop");
  for (const options of [new Wrong(), inherited(new Wrong())])
    expect(() => createMediaGen(options)).toThrow(about("maxQueriesInFlight"));
  await expect(task.wait(inherited({ waitTimeoutMs: Number.NaN }))).rejects.toEqual(
    about("waitTimeoutMs"),
  );
  await expect(task.check(inherited({ signal: "none" }))).rejects.toEqual(about("signal"));
});
