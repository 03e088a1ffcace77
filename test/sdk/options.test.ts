import { inspect } from "node:util";
import {
  blobs,
  BudgetError,
  ConnectionError,
  createMediaGen,
  type FetchInit,
  type GenerateOptions,
  type InvalidRequestError,
  type MediaGenOptions,
  memoryStore,
  type RequestHeaders,
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

test("base URL and key come from the options, else from the environment", async () => {
  vi.stubEnv("MEDIAGEN_BASE_URL", "https://media.example.com/a/");
  vi.stubEnv("MEDIAGEN_API_KEY", "from-environment");
  expect(await whereTo({})).toEqual(["https://media.example.com/a/v1/video/infobytaskid", "from-environment"]);
  expect(await whereTo({ baseUrl: "http://localhost", apiKey: "given" })).toEqual([
    "http://localhost/v1/video/infobytaskid",
    "given",
  ]);
});

describe("statuses of failed tasks", () => {
  const stateOf = async (options: MediaGenOptions = {}) => {
    const { media } = clientOf([() => success({ taskid: "t-1", url: [], image_status: 4 })], options);
    return (await media.image.task("t-1").check()).state;
  };

  test("come from the options, else from the environment", async () => {
    expect(await stateOf()).toBe("pending");
    for (const [text, state] of [
      ["3, 4", "failed"],
      ["4", "failed"],
      [" -1 ,3 ", "pending"],
      ["", "pending"],
    ] as const) {
      vi.stubEnv("MEDIAGEN_FAILED_STATUSES", text);
      expect(await stateOf(), text).toBe(state);
    }
    vi.stubEnv("MEDIAGEN_FAILED_STATUSES", "4");
    expect(await stateOf({ statuses: { succeeded: [2] } })).toBe("failed");
    expect(await stateOf({ statuses: { failed: undefined } })).toBe("failed");
    expect(await stateOf({ statuses: { failed: [] } })).toBe("pending");
    expect(await stateOf({ statuses: { failed: [3] } })).toBe("pending");
  });

  test.for(["failed", "3;4", "3,", "3.5", "0x3", "3 4"])(
    "are rejected in the environment if they are %s, by the variable's name",
    (text) => {
      vi.stubEnv("MEDIAGEN_FAILED_STATUSES", text);
      expect(() => clientOf()).toThrow(
        `createMediaGen: MEDIAGEN_FAILED_STATUSES ${JSON.stringify(text)} is not valid. Use whole numbers with commas between, such as "3,4".`,
      );
      expect(() => clientOf([], { statuses: { failed: [3] } })).not.toThrow();
    },
  );
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
  for (const apiKey of ["secret\nline", "secret–dash", " secret", "", "sécret"]) {
    const error: unknown = await errorOf(whereTo({ baseUrl: "http://localhost", apiKey }));
    expect(error, JSON.stringify(apiKey)).toMatchObject({ name: "InvalidRequestError" });
    expect(String(error)).toContain(apiKey === "" ? "apiKey is missing" : "(not shown)");
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

test.for<[string, object]>([
  ["fetch", { fetch: "x" }],
  ["statuses.failed", { statuses: { failed: 3 } }],
  ["statuses.failed", { statuses: { failed: ["3"] } }],
  ["store.write", { store: {} }],
  ["beforeGenerate", { beforeGenerate: true }],
  ["classify", { classify: [3] }],
])("what would fail only once a generation is on its way is rejected at once: %s", ([field, options]) => {
  expect(() => createMediaGen({ baseUrl: "http://localhost", ...options })).toThrow(`createMediaGen: ${field}`);
});

test("a blank variable of the environment is none", () => {
  vi.stubEnv("MEDIAGEN_BASE_URL", "");
  expect(() => createMediaGen()).toThrow("baseUrl");
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
    const error = await errorOf(call);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(String(error)).toMatch(/no key came, and nothing was sent: .* longer than 10 ms/);
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
    let message = "";
    try {
      createMediaGen({ baseUrl });
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain("baseUrl");
    expect(message).not.toContain("secret");
  });
});

test("the emulator's key is refused anywhere but on this machine, and where http is allowed", async () => {
  for (const baseUrl of [
    "http://localhost",
    "https://localhost",
    "http://emulator.localhost:4020",
    "http://127.0.0.1",
    "http://[::1]:80",
    "http://emulator:4020",
  ]) {
    const sent = await whereTo({ baseUrl, apiKey: "emulator-key", allowHttp: true });
    expect(sent).toMatchObject([expect.anything(), "emulator-key"]);
  }
  for (const baseUrl of [
    "https://media.example.com",
    "https://localhost.example.com",
    "https://127.0.0.1.example.com",
    "https://10.0.0.1",
  ]) {
    await expect(whereTo({ baseUrl, apiKey: "emulator-key" })).rejects.toThrow(
      /apiKey is that of the emulator.* start it with --key KEY/,
    );
  }
});

test("what limits something is a number: one that is none would limit nothing", async () => {
  const limits = [
    "queryTimeoutMs",
    "generateTimeoutMs",
    "headersTimeoutMs",
    "stallTimeoutMs",
    "connectTimeoutMs",
    "retries",
  ];
  for (const limit of limits) {
    for (const value of [Number.NaN, -1, "1000"]) {
      // The cast: what comes from an environment or a file may be anything.
      const options = { baseUrl: "http://localhost", [limit]: value } as MediaGenOptions;
      for (const create of [createMediaGen, createNodeMediaGen]) expect(() => create(options)).toThrow(limit);
    }
    expect(() => createNodeMediaGen({ baseUrl: "http://localhost", [limit]: Infinity })).not.toThrow();
  }
  const task = clientOf().media.video.task("t-1");
  for (const limit of ["maxBytes", "stallTimeoutMs", "resultTimeoutMs"])
    await expect(blobs(task, { [limit]: Number.NaN })).rejects.toThrow(limit);
  await expect(task.wait({ waitTimeoutMs: "1000" as unknown as number })).rejects.toThrow("waitTimeoutMs");
});

describe("an option that does not exist is rejected, with what may have been meant and no value", () => {
  const secret = "sk-secret-in-a-misspelled-option";
  const { media, sent } = clientOf([() => success({ taskid: "t-1", url: ["http://localhost/1.png"] })]);
  const task = media.image.task("t-1");

  test.for<[string, string, string, () => unknown]>([
    ["a client", "apikey", "apiKey", () => createMediaGen({ baseUrl: "http://localhost", apikey: secret } as object)],
    [
      "a client of Node",
      "maxGenerationInFlight",
      "maxGenerationsInFlight",
      () => createNodeMediaGen({ maxGenerationInFlight: 3 } as object),
    ],
    ["an HTTP client", "baseURL", "baseUrl", () => createHttpClient({ baseURL: secret } as object)],
    [
      "a generation",
      "idempotencykey",
      "idempotencyKey",
      () => media.image.generate("imgmodelz", { prompt: "A fox" }, { idempotencykey: secret } as object),
    ],
    ["a wait", "timeout", "waitTimeoutMs", () => task.wait({ timeout: 5 } as object)],
    ["waits", "waitTimeout", "waitTimeoutMs", () => waitAll([task], { waitTimeout: 5 } as object)],
    ["blobs", "maxbytes", "maxBytes", () => blobs(task, { maxbytes: 5 } as object)],
    ["a download", "overWrite", "overwrite", () => download(task, "out", { overWrite: true } as object)],
  ])("%s", async ([, field, suggestion, call]) => {
    const error = await errorOf((async () => call())());
    expect(error).toMatchObject({ name: "InvalidRequestError", issues: [{ field, code: "unknownOption" }] });
    const meant = field === "timeout" ? "Use one of onUpdate, waitTimeoutMs, signal." : `Did you mean ${suggestion}?`;
    expect(String(error)).toContain(`${field} is not a known option.`);
    expect(String(error)).toContain(meant);
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
    get maxTasksInFlight() {
      return Number.NaN;
    }
  }
  const message = "createMediaGen: maxTasksInFlight";
  expect(() => createMediaGen(new Defaults())).toThrow(message);
  expect(() => createMediaGen(Object.create(new Defaults()) as MediaGenOptions)).toThrow(message);
  const task = createMediaGen({ baseUrl: "http://localhost" }).image.task("t-1");
  const inherited = Object.create({ waitTimeoutMs: Number.NaN, timeoutMs: Number.NaN }) as object;
  await expect(task.wait(inherited)).rejects.toThrow("waitTimeoutMs");
  await expect(task.check(inherited)).rejects.toThrow("timeoutMs");
});

test("options that are inherited, or getters of a class, count like others", async () => {
  const updates: unknown[] = [];
  class Settings {
    get apiKey() {
      return "of-the-class";
    }
    get budget() {
      return { generations: 1 };
    }
    get onUpdate() {
      return ({ state }: WaitUpdate) => void updates.push(state);
    }
    get signal() {
      return AbortSignal.abort(new Error("stop"));
    }
  }
  const { apiKey, budget } = Object.getOwnPropertyDescriptors(Settings.prototype);
  const settings = Object.create(Object.create(null, { apiKey, budget })) as MediaGenOptions;
  const keys: (string | null)[] = [];
  const { media } = clientOf([(request) => (keys.push(request.headers.get("authorization")), created("t-1"))]);
  const changed = media.withOptions(settings).withOptions({ retries: 0 });
  await changed.image.generate("imgmodelz", { prompt: "A fox" });
  const error = await errorOf(changed.image.generate("imgmodelz", { prompt: "A fox" }));
  expect([keys, error]).toEqual([["of-the-class"], expect.any(BudgetError)]);

  const { onUpdate, signal } = Object.getOwnPropertyDescriptors(Settings.prototype);
  const task = media.image.task("t-1");
  await waitAll([task], Object.create(Object.create(null, { onUpdate })));
  expect(updates).toEqual(["succeeded"]);
  await expect(blobs(task, Object.create(Object.create(null, { signal })))).rejects.toThrow("stop");
});

describe("each option of a client that is of no type that any option has is rejected", () => {
  const { issues } = thrownBy(() => createNodeMediaGen({ nothing: 1 } as object)) as InvalidRequestError;
  const names = issues[0]?.names ?? [];

  test.for(names)("%s", (name) => {
    const options = { baseUrl: "http://localhost", [name]: Symbol("of no option") };
    expect(thrownBy(() => createNodeMediaGen(options))).toMatchObject({
      name: "InvalidRequestError",
      issues: [{ field: expect.stringMatching(new RegExp(`^${name}\\b`)) }],
    });
  });
});

describe("an option of the wrong type is rejected in words, and nothing is sent", () => {
  const { media, sent } = clientOf([], { store: memoryStore() });
  const task = media.image.task("t-1");
  const create = (options: object) => () => createNodeMediaGen({ baseUrl: "http://localhost", ...options });
  const generate = (options: unknown) => () =>
    media.image.generate("imgmodelz", { prompt: "A fox" }, options as GenerateOptions);
  const notPlain = "headers is not a plain object. Use one, such as Object.fromEntries(headers).";

  test.for<[() => unknown, string]>([
    [create({ budget: 5 }), "createMediaGen: budget must be an object, not 5."],
    [create({ budget: null }), "createMediaGen: budget must be an object, not null."],
    [
      create({ budget: { generation: 5 } }),
      "createMediaGen: budget: generation is not a known option. Did you mean generations?",
    ],
    [create({ allowHttp: "false" }), 'createMediaGen: allowHttp must be true or false, not "false".'],
    [
      create({ resendGenerationAfter: 503 }),
      "createMediaGen: resendGenerationAfter must be a list of 421, 425 and 503, not 503.",
    ],
    [
      create({ resendGenerationAfter: [500] }),
      "createMediaGen: resendGenerationAfter must be a list of 421, 425 and 503, not a list of 1.",
    ],
    [
      create({ apiKey: null }),
      "createMediaGen: apiKey must be text, or a function that returns it, not a value (not shown).",
    ],
    [
      create({ baseUrl: "sk-live-0123456789" }),
      "createMediaGen: baseUrl has an invalid value (not shown). Use an absolute http or https URL, such as https://media.example.",
    ],
    [
      () => createMediaGen("sk-live-0123456789" as MediaGenOptions),
      "createMediaGen: options must be an object, not text (not shown).",
    ],
    [create({ maxTasksInFlight: "2" }), 'createMediaGen: maxTasksInFlight must be a number of at least 1, not "2".'],
    [create({ headers: "x" }), `createMediaGen: ${notPlain}`],
    [create({ headers: new Headers() }), `createMediaGen: ${notPlain}`],
    [create({ statuses: { fail: [3] } }), "createMediaGen: statuses: fail is not a known option. Did you mean failed?"],
    [create({ statuses: 3 }), "createMediaGen: statuses must be an object, not 3."],
    [
      create({ store: ".mediagen" }),
      'createMediaGen: store must be a store, such as fileStore(".mediagen"), not ".mediagen".',
    ],
    [
      create({ tls: { pfx: "x" } }),
      "createMediaGen: tls.pfx has an invalid value (not shown). Use the bytes of a PKCS #12 file, not its path.",
    ],
    [create({ tls: { passphrase: 5 } }), "createMediaGen: tls.passphrase has an invalid value (not shown). Use text."],
    [create({ tls: { keys: "x" } }), "createMediaGen: tls: keys is not a known option. Did you mean key?"],
    [() => createMediaGen(null as unknown as MediaGenOptions), "createMediaGen: options must be an object, not null."],
    [
      () => media.withOptions(undefined as unknown as MediaGenOptions),
      "withOptions: options must be an object, not undefined.",
    ],
    [() => media.withOptions({ headers: new Headers() as unknown as RequestHeaders }), `withOptions: ${notPlain}`],
    [
      () => media.image.task("t-1", { resultcount: 4 } as object),
      "media.image.task: resultcount is not a known option. Did you mean resultCount?",
    ],
    [generate(null), "imgmodelz: options must be an object, not null. Nothing was sent."],
    [generate({ unchecked: "false" }), 'imgmodelz: unchecked must be true or false, not "false". Nothing was sent.'],
    [
      generate({ signal: { aborted: false } }),
      "imgmodelz: signal must be an AbortSignal, not an object. Nothing was sent.",
    ],
    [generate({ signal: 5 }), "imgmodelz: signal must be an AbortSignal, not 5. Nothing was sent."],
    [
      generate({ signal: new AbortController() }),
      "imgmodelz: signal must be an AbortSignal, not an object. Nothing was sent.",
    ],
    [
      generate({ headers: "x" }),
      "imgmodelz: headers is not a plain object. Nothing was sent. Use one, such as Object.fromEntries(headers).",
    ],
    [
      generate({ idempotencyKey: "a", headers: { "Idempotency-Key": "b" } }),
      "imgmodelz: headers.Idempotency-Key would be ignored. Nothing was sent. Use the option idempotencyKey of generate.",
    ],
    [
      () => media.image.query("t-1", { signal: 5 } as object),
      "queryImageTask: signal must be an AbortSignal, not 5. Nothing was sent.",
    ],
    [() => media.recover({ signal: 5 } as object), "recover: signal must be an AbortSignal, not 5."],
    [() => task.wait({ onUpdate: 5 } as object), "wait: onUpdate must be a function, not 5."],
  ])("%#", async ([call, message]) => {
    const error = await errorOf((async () => call())());
    expect(error).toMatchObject({ name: "InvalidRequestError", message });
    expect(sent()).toBe(0);
  });
});
