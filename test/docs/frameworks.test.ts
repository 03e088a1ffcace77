import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator, type Emulator, listen } from "@mediagen/emulator/node";
import { createMediaGen, OutcomeUnknownError } from "@mediagen/sdk/node";
import { checkStore } from "@mediagen/stores/check";
import { H3 } from "h3";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { d1Store, migration } from "../../docs/examples/frameworks/d1-store.ts";
import { createPageClient, showClip } from "../../docs/examples/frameworks/page.ts";
import { serve as serveApp } from "../serve.ts";
import { createD1 } from "./d1.ts";

// The programs' files as they are, called as their frameworks call them.
type Handler = (request: Request) => Promise<Response>;
const frameworks = ["Next", "SvelteKit", "Hono", "Nitro", "Express", "a Worker"] as const;
const handlers = new Map<string, Handler>();
const leave: (() => Promise<unknown>)[] = [];
const app = "https://app.test";
const emulator = createEmulator({ clock: { speed: 100 } });
/** Responses wait for it. */
let held = Promise.resolve();
const serve: Emulator["serve"] = async (request) => {
  const response = await emulator.serve(request);
  await held;
  return response;
};

const tokenOf = (framework: string, user = "ann") => `${framework.replace(" ", "-")}-${user}`;
/** The users of the examples by token: each framework has its own, as they share a quota. */
const tokens = frameworks.flatMap((name) => [tokenOf(name), tokenOf(name, "bob")]);
const users = Object.fromEntries(tokens.map((token) => [token, token]));

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), "frameworks-"));
  const service = await listen({ ...emulator, serve });
  const environment = {
    MEDIAGEN_BASE_URL: service.baseUrl,
    MEDIAGEN_API_KEY: emulator.client.apiKey,
    PROXY_SECRET: "0123456789abcdef0123456789abcdef",
    USERS: JSON.stringify(users),
  };
  const files = {
    STORE_DIRECTORY: join(directory, "generations"),
    QUOTA_FILE: join(directory, "quota.sqlite"),
  };
  for (const [name, value] of Object.entries({ ...environment, ...files })) vi.stubEnv(name, value);
  vi.spyOn(console, "error").mockImplementation(() => {});

  const next = await import("../../docs/examples/frameworks/next.ts");
  handlers.set("Next", (request) => next.POST(request));
  const svelteKit = await import("../../docs/examples/frameworks/sveltekit.ts");
  handlers.set("SvelteKit", (request) => svelteKit.POST({ request }));
  const hono = await import("../../docs/examples/frameworks/hono.ts");
  handlers.set("Hono", async (request) => hono.app.fetch(request));
  const nitro = await import("../../docs/examples/frameworks/nitro.ts");
  const h3 = new H3().post("/api/media/**", nitro.default);
  handlers.set("Nitro", async (request) => h3.fetch(request));
  const worker = await import("../../docs/examples/frameworks/worker.ts");
  expect(Object.keys(worker), "workerd takes every other export for a handler").toEqual([
    "default",
  ]);
  const env = { DB: createD1(migration), ...environment };
  handlers.set("a Worker", (request) =>
    worker.default.fetch(request, env, { waitUntil: () => undefined }),
  );
  const express = await import("../../docs/examples/frameworks/express.ts");
  const server = await serveApp(express.app);
  handlers.set("Express", (request) =>
    fetch(new Request(request.url.replace(app, server.baseUrl), request)),
  );
  // The servers have read it. The clients of pages have none.
  vi.stubEnv("MEDIAGEN_API_KEY", undefined);
  leave.push(
    async () => server[Symbol.asyncDispose](),
    () => service.close(),
    () => rm(directory, { recursive: true }),
  );
});
afterAll(async () => {
  for (const step of leave) await step();
});

describe.each(frameworks)("the proxy in %s", (framework) => {
  const handler: Handler = (request) =>
    (handlers.get(framework) ?? expect.fail("there is no such handler"))(request);
  /** The client in a page of a user. */
  const pageOf = (token: string) =>
    createMediaGen({
      baseUrl: `${app}/api/media`,
      headers: { authorization: `Bearer ${token}` },
      fetch: (url, init) => handler(new Request(url, init)),
      retries: 0,
    });
  const form = { prompt: "A fox" };

  test("generates once for an order that arrives twice, at the price the server sets, and shows nobody else the results", async () => {
    const before = emulator.charges.length;
    const ann = pageOf(tokenOf(framework));
    const order = { idempotencyKey: "twice" };
    const [task, again] = await Promise.all(
      [1, 2].map(() => ann.video.generate("vidmodelv2", { ...form, duration: 15 }, order)),
    );
    expect([again?.taskid, emulator.charges.length]).toEqual([task?.taskid, before + 1]);
    // The page requested 15 seconds. The server decides what a generation costs.
    expect(await task?.wait()).toMatchObject({ url: [expect.any(String)], duration: 5 });
    await expect(ann.video.generate("vidmodelv2fast", form)).rejects.toThrow(
      "This app generates with vidmodelv2 only.",
    );
    const bob = pageOf(tokenOf(framework, "bob"));
    await expect(bob.video.query(task?.taskid ?? "")).rejects.toThrow("The user has no such task.");
    await expect(pageOf("nobody").video.generate("vidmodelv2", form)).rejects.toMatchObject({
      status: 401,
    });
  });

  test("completes a generation whose page was closed while it was sent", async () => {
    const before = emulator.charges.length;
    const { promise, resolve: respond } = Promise.withResolvers<void>();
    held = promise;
    const closing = new AbortController();
    const body = new FormData();
    body.set("prompt", "A fox");
    const headers = { authorization: `Bearer ${tokenOf(framework)}`, "idempotency-key": "closed" };
    const url = `${app}/api/media/v1/video/vidmodelv2`;
    const closed = handler(
      new Request(url, { method: "POST", headers, body, signal: closing.signal }),
    );
    const ended = closed.catch(() => undefined);
    await expect.poll(() => emulator.charges.length - before).toBe(1);
    closing.abort();
    respond();
    await ended;
    const page = pageOf(tokenOf(framework));
    await page.video.generate("vidmodelv2", form, { idempotencyKey: "closed" });
    expect(emulator.charges.length - before).toBe(1);
  });
});

test("the page of the example shows the clip of an order, which is generated once although its response was lost", async () => {
  const before = emulator.charges.length;
  vi.stubGlobal("location", new URL(`${app}/clips`));
  let responses = 0;
  vi.stubGlobal("fetch", async (input: string, init: RequestInit) => {
    const response = await handlers.get("Next")?.(new Request(input, init));
    if (response && responses++ > 0) return response;
    throw new TypeError("Failed to fetch");
  });
  const media = createPageClient(tokenOf("Next"));
  // The cast: it shows its clip by this alone.
  const clip = { src: "" } as HTMLVideoElement;
  const show = () => showClip(media, "order-7", "A fox", clip);
  await expect(show()).rejects.toBeInstanceOf(OutcomeUnknownError);
  await show();
  vi.unstubAllGlobals();
  expect([clip.src, emulator.charges.length - before]).toEqual([expect.stringMatching(/^http/), 1]);
});

test("a user generates no more than the quota of the day, and a repeated key is counted once", async () => {
  const { isWithinQuota } = await import("../../docs/examples/frameworks/quota.ts");
  const keys = ["a", "b", "a", "c", "b"];
  expect(keys.map((key) => isWithinQuota("carl", key, 2))).toEqual([true, true, true, false, true]);
  expect(isWithinQuota("dora", "a", 2)).toBe(true);
});

test("the store for D1 keeps the rules of a store, and the records of accounts apart", async () => {
  const database = createD1(migration);
  const { failures } = await checkStore(() => d1Store(database, "ann"));
  expect(failures).toEqual([]);
  const records: unknown[] = [];
  for await (const record of d1Store(database, "bob").list({
    states: ["claimed", "created", "ended"],
  }))
    records.push(record);
  expect(records).toEqual([]);
});
