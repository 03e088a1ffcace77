import { createMediaGen, memoryStore, OutcomeUnknownError } from "@mediagen/sdk";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { clientOf, created, gate, sharedStore } from "../sdk/fake-service.ts";

describe("a client for each call, with one store object", () => {
  const storeOf = () => ({ store: sharedStore(), sharesProcess: true });
  const full = ({ state }: { readonly state: string }) => {
    if (state === "created") throw new Error("the disk is full");
  };

  test("knows a task that the store could not record, and not at another service", async () => {
    const options = storeOf();
    options.store.beforeWrite(full);
    const first = clientOf([], { ...options, passing: ["pause"] });
    const { taskid } = await first.generate("1");
    const second = clientOf([], options);
    const elsewhere = clientOf([], { ...options, baseUrl: "http://127.0.0.1" });
    expect((await second.generate("1")).taskid).toBe(taskid);
    expect([first.sent(), second.sent()]).toEqual([1, 0]);
    expect((await second.media.recover()).tasks.map((task) => task.taskid)).toEqual([taskid]);
    expect((await elsewhere.media.recover()).tasks).toEqual([]);
  });

  test("knows at once that a generation of another client is still being sent", async () => {
    const response = gate<Response>();
    const options = storeOf();
    const sending = clientOf([() => response.promise], options).generate("1");
    await expect.poll(() => options.store.states().at(-1)).toBe("sending");
    const other = clientOf([], { ...options, passing: [] });
    expect(await other.media.recover()).toMatchObject({ tasks: [], unknown: [] });
    response.resolve(created("t-1"));
    expect((await sending).taskid).toBe("t-1");
  });
});

test("a client for a user whose key is missing never falls back to the key of the environment", () => {
  vi.stubEnv("MEDIAGEN_API_KEY", "sk-process");
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const apiKey of [undefined, null] as (string | undefined)[])
    expect(() => createMediaGen({ baseUrl: "http://localhost", apiKey })).toThrow(/apiKey/);
  expect(() => createMediaGen({ baseUrl: "http://localhost" })).not.toThrow();
});

test("a resolution is of the attempt that the person looked at, not of the next one", async () => {
  const memory = memoryStore();
  const options = {
    baseUrl: "https://media.example",
    apiKey: "sk-1",
    fetch: () => Promise.reject(new Error("reset")),
  };
  const media = createMediaGen({ ...options, store: memory });
  const generate = () =>
    media.image.generate("imgmodelv4", { prompt: "A fox" }, { idempotencyKey: "a" });
  const { generationId: id = "", attempt = "" } = (await generate().catch(
    (error: unknown) => error,
  )) as OutcomeUnknownError;
  const write = vi.fn(memory.write).mockImplementationOnce(async (entry) => {
    await media.resolve(id, "notCreated", { attempt });
    await generate().catch(() => undefined);
    return memory.write(entry);
  });
  const other = createMediaGen({ ...options, store: { ...memory, write } });
  await expect(other.resolve(id, "notCreated", { attempt })).rejects.toMatchObject({
    name: "InvalidRequestError",
    issues: [{ field: "attempt", message: expect.stringContaining("is not the last attempt") }],
    billed: "maybe",
  });
  expect((await media.recover()).unknown.map((one) => one.generationId)).toEqual([id]);
});

test("a generation without a key that another process took for dead is retried after HTTP 429, once", async () => {
  const store = memoryStore();
  let sent = 0;
  let calls = 0;
  const fetch = async () => {
    if (++sent > 1) return created("t-1");
    for await (const entry of store.list({ states: ["sending"] }))
      if (!("unreadable" in entry))
        await store.write({
          ...entry,
          state: "unknown",
          revision: entry.revision + 1,
          follows: entry.attempt,
        });
    return new Response("", { status: 429, headers: { "retry-after": "0" } });
  };
  const beforeGenerate = () => void calls++;
  const media = createMediaGen({
    baseUrl: "https://media.example",
    apiKey: "sk-1",
    fetch,
    store,
    beforeGenerate,
  });
  expect((await media.image.generate("imgmodelv4", { prompt: "A fox" })).taskid).toBe("t-1");
  expect([sent, calls]).toEqual([2, 2]);
});

test("a paid task is returned if the response's headers cannot be listed", async () => {
  const { status, redirected, body } = created("t-1");
  const fetch = async () =>
    ({ status, redirected, body, headers: { get: () => null } }) as unknown as Response;
  const media = createMediaGen({ baseUrl: "https://media.example", apiKey: "sk-1", fetch });
  expect((await media.image.generate("imgmodelv4", { prompt: "A fox" })).taskid).toBe("t-1");
});
