import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { createMediaGen, MediaGenError } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { clientOf, errorOf, forever, origin, success } from "./fake-service.ts";

describe("timeouts that are too long for one timer", () => {
  test("print no warning, whichever they are", async () => {
    const program = resolve("test/sdk/processes/longest-timeouts.ts");
    expect(await promisify(execFile)(process.execPath, [program])).toEqual({ stdout: "12\n", stderr: "" });
  });

  test("end with the caller's signal", async () => {
    const media = createMediaGen({ baseUrl: origin, fetch: async () => success({ taskid: "t-1", url: [] }) });
    const controller = new AbortController();
    setTimeout(() => controller.abort("enough"), 30);
    const waiting = media.video.task("t-1").wait({ waitTimeoutMs: 30 * 86_400_000, signal: controller.signal });
    expect(await errorOf(waiting)).toBe("enough");
  });

  const ms = 2 ** 31 + 5_000;
  const passing = ["limit"] as const;

  test.for(["queryTimeoutMs", "generateTimeoutMs"] as const)("end when they should: %s", async (name) => {
    const others = { queryTimeoutMs: Infinity, generateTimeoutMs: Infinity };
    const { media, generate, now } = clientOf([forever], { passing, ...others, [name]: ms });
    const start = now();
    const call = name === "queryTimeoutMs" ? media.image.query("t-1") : generate();
    expect(await errorOf(call)).toBeInstanceOf(MediaGenError);
    expect(now() - start).toBe(ms);
  });
});
