import { createEmulator } from "@mediagen/emulator";
import { blobs, createMediaGen, MediaGenError } from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen } from "@mediagen/sdk/node";
import { describe, expect, test, vi } from "vitest";
import { clientOf, errorOf, forever } from "./fake-service.ts";

// One timer takes 2 ** 31 - 1 ms. Node prints a warning and takes 1 ms instead.
test.for([2 ** 31 - 1, 2 ** 31, 2 ** 31 + 0.3, 1e12, Number.MAX_VALUE, Infinity])(
  "a timeout of %d ms is no shorter, and prints no warning",
  async (ms) => {
    const warn = vi.fn();
    process.on("warning", warn);
    for (const create of [createMediaGen, createNodeMediaGen]) {
      const { baseUrl, apiKey, fetch } = createEmulator({
        behaviour: { queryMovesMs: 60_000 },
      }).client;
      const limits = { queryTimeoutMs: ms, generateTimeoutMs: ms, maxQueriesInFlight: Infinity };
      const media = create({ baseUrl, apiKey, fetch, ...limits });
      const task = await media.image.generate("imgmodelz", { prompt: "A fox" });
      // One timer is set again and again to what is left of such a deadline, which no number holds
      // exactly.
      await Promise.all(
        Array.from({ length: 20 }, (_, at) => task.wait({ waitTimeoutMs: ms + at * 0.37 })),
      );
      expect(await blobs(task, { stallTimeoutMs: ms })).toHaveLength(1);
    }
    await new Promise(setImmediate);
    process.off("warning", warn);
    expect(warn).not.toHaveBeenCalled();
  },
);

test.for(["queryTimeoutMs", "generateTimeoutMs"] as const)(
  "%s ends when it should, also beyond one timer",
  async (name) => {
    const ms = 2 ** 31 + 5_000;
    const others = { queryTimeoutMs: Infinity, generateTimeoutMs: Infinity };
    const { media, generate, now } = clientOf([forever], {
      passing: ["limit"],
      ...others,
      [name]: ms,
    });
    const start = now();
    expect(
      await errorOf(name === "queryTimeoutMs" ? media.image.query("t-1") : generate()),
    ).toBeInstanceOf(MediaGenError);
    expect(now() - start).toBe(ms);
  },
);

describe("a timeout of 0 is rejected before anything is sent", () => {
  const isInvalid = /must be a number above 0, or Infinity for none, not 0/;

  test.for(["queryTimeoutMs", "generateTimeoutMs"])("%s", (field) => {
    expect(() => createMediaGen({ baseUrl: "http://localhost", [field]: 0 })).toThrow(isInvalid);
  });

  test("waitTimeoutMs and stallTimeoutMs", async () => {
    const { media, sent } = clientOf();
    const task = media.image.task("t-1");
    await expect(task.wait({ waitTimeoutMs: 0 })).rejects.toThrow(isInvalid);
    await expect(blobs(task, { stallTimeoutMs: 0 })).rejects.toThrow(isInvalid);
    expect(sent()).toBe(0);
  });
});
