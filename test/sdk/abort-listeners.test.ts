import { getEventListeners } from "node:events";
import { createEmulator } from "@mediagen/emulator";
import { blobs, createMediaGen, memoryStore, OutcomeUnknownError, waitAll } from "@mediagen/sdk";
import { expect, test } from "vitest";
import { errorOf, forever, origin } from "./fake-service.ts";

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

// Node 20 prints MaxListenersExceededWarning at the eleventh listener of a signal.
test("however many calls share a signal, it has one listener, and none once they have ended", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const media = createMediaGen({
    baseUrl: origin,
    apiKey: "sk-canary",
    store: memoryStore(),
    fetch: forever,
  });
  const calls = Array.from({ length: 12 }, (_, index) => {
    const task = media.video.task(`t-${index}`);
    return [
      task.wait({ signal }),
      task.check({ signal }),
      waitAll([task], { signal }),
      blobs(task, { signal }),
      media.image.generate("imgmodelz", { prompt: "A fox" }, { signal }),
    ].map(errorOf);
  }).flat();
  // Everything runs that waits for nothing.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(listenersOf(signal)).toBe(1);
  controller.abort("enough");
  const errors = await Promise.all(calls);
  // A generation that was being sent may have created a task.
  expect(
    errors.filter((error) => error !== "enough" && !(error instanceof OutcomeUnknownError)),
  ).toEqual([]);
  expect(listenersOf(signal)).toBe(0);
});

test("a signal has no listener of any call that has ended, however it has ended", async () => {
  const { signal } = new AbortController();
  const emulator = createEmulator();
  const media = createMediaGen({ ...emulator.client, apiKey: async () => emulator.client.apiKey });
  for (const fault of [undefined, "cutBody", "hang", "serverError"] as const) {
    const task = await media.image.generate("imgmodelz", { prompt: "A fox" }, { signal });
    if (fault) emulator.next({ fault, on: "query" });
    await task.wait({ signal, onUpdate: async () => undefined });
    if (fault) emulator.next({ fault, on: "download" });
    await blobs(task, { signal });
    if (fault) emulator.next({ fault, on: "delete", times: 9 });
    await errorOf(task.delete({ signal }));
    expect(listenersOf(signal)).toBe(0);
    emulator.reset();
  }
});
