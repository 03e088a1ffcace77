import { AsyncLocalStorage } from "node:async_hooks";
import { createEmulator } from "@mediagen/emulator";
import { createMediaGen } from "@mediagen/sdk";
import { expect, test } from "vitest";

test("each poll of a wait has the key of its own tenant, whoever has freed its place", async () => {
  const tenant = new AsyncLocalStorage<string>();
  const emulator = createEmulator({ apiKey: "key" });
  const { baseUrl, fetch, clock } = emulator.client;
  const keys: [taskid: string, key: string][] = [];
  const media = createMediaGen({
    baseUrl,
    clock,
    maxQueriesInFlight: 2,
    apiKey: async () => tenant.getStore() ?? "nobody",
    fetch: (url, init) => {
      const { authorization = "" } = init.headers;
      if (typeof init.body === "string") keys.push([init.body, authorization]);
      return fetch(url, { ...init, headers: { ...init.headers, authorization: "key" } });
    },
  });
  const updates: [expected: string, seen: string | undefined][] = [];
  const waitAs = (name: string) =>
    tenant.run(name, async () => {
      const task = await media.image.generate("imgmodelz", { prompt: name });
      const onUpdate = () => void updates.push([name, tenant.getStore()]);
      await task.wait({ onUpdate });
      return [task.taskid, name] as const;
    });
  const names = Array.from({ length: 40 }, (_, at) => `tenant-${at}`);
  const owners = new Map(await Promise.all(names.map(waitAs)));

  expect(keys.length).toBeGreaterThanOrEqual(40);
  for (const [body, key] of keys) {
    const { taskid } = JSON.parse(body) as { readonly taskid: string };
    expect(key).toBe(owners.get(taskid));
  }
  for (const [expected, seen] of updates) expect(seen).toBe(expected);
});
