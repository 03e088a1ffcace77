import http from "node:http";
import { createEmulator, listen } from "@mediagen/emulator/node";
import { createMediaGen, memoryStore } from "@mediagen/sdk/node";
import { expect, onTestFinished, test, vi } from "vitest";

test.for([
  [8, "without", {}],
  [12, "with", { store: memoryStore() }],
] as const)("at most %i frames lie between a generation %s a store and its request", async ([most, , options]) => {
  const emulator = createEmulator();
  const { baseUrl, close } = await listen(emulator);
  const { stackTraceLimit } = Error;
  onTestFinished(() => ((Error.stackTraceLimit = stackTraceLimit), vi.restoreAllMocks(), close()));
  Error.stackTraceLimit = Infinity;
  const { request } = http;
  let stack = "";
  vi.spyOn(http, "request").mockImplementation((...given: Parameters<typeof request>) => {
    stack = String(new Error().stack);
    return request(...given);
  });
  const media = createMediaGen({ ...options, baseUrl, apiKey: emulator.client.apiKey });
  await media.image.generate("imgmodelz", { prompt: "A fox" });
  const frames = stack.split("\n").filter((line) => line.includes("/packages/sdk/"));
  expect(frames.length > 3 && frames.slice(most)).toEqual([]);
});
