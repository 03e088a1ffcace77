import {
  experimental_getVideoStatus as getVideoStatus,
  experimental_startVideo as startVideo,
} from "ai";
import { describe, expect, test } from "vitest";
import { errorOf } from "../sdk/fake-service.ts";
import { createDesk, type Desk } from "./desk.ts";

const prompt = "A fox runs through snow";

/** Starts videos, and returns what is left of their operation in another process. */
async function start({ mediagen }: Desk, given: Partial<Parameters<typeof startVideo>[0]> = {}) {
  const { operation } = await startVideo({ model: mediagen.video("vidmodelv2"), prompt, ...given });
  // The cast: it was JSON.
  return JSON.parse(JSON.stringify(operation)) as typeof operation;
}

const statusOf = ({ mediagen }: Desk, operation: Awaited<ReturnType<typeof start>>) =>
  getVideoStatus(mediagen.video("vidmodelv2"), { operation, maxRetries: 0 });

describe("a video that was started", () => {
  test("is pending until it is completed, in any process, also if the service does not know it yet", async () => {
    const desk = createDesk({ emulator: { clock: "manual" } });
    const operation = await start(desk);
    const tasks = desk.emulator.charges.map(({ taskid }) => ({ taskid }));
    desk.emulator.next({ fault: "failure", on: "query" });
    for (const _ of [1, 2]) expect((await statusOf(desk, operation)).status).toBe("pending");
    desk.emulator.clock.advance("61s");
    desk.emulator.next({ fault: "failure", on: "query" });
    const message = expect.stringMatching(/^Task video-\w+ was created and billed/);
    // Of a check, which is free.
    expect(await errorOf(statusOf(desk, operation))).toMatchObject({
      isRetryable: true,
      message,
      data: { tasks },
    });
    desk.emulator.clock.advance("1h");
    expect(await statusOf(desk, operation)).toMatchObject({
      status: "completed",
      videos: [{ type: "url", url: expect.stringContaining(`${tasks[0]?.taskid}`) }],
      warnings: [],
      providerMetadata: { mediagen: { tasks } },
    });
    expect(desk.emulator.charges).toHaveLength(1);
  });

  test("ends in an error that names it if it fails, and in a warning if another one succeeds", async () => {
    const desk = createDesk({ emulator: { clock: "manual" } });
    const failing = await start(desk, { prompt: "A fox #fail" });
    desk.emulator.next({ fault: "taskFails", on: "generate" });
    const mixed = await start(desk, { n: 2 });
    desk.emulator.clock.advance("1h");
    const error = expect.stringContaining(`${desk.emulator.charges[0]?.taskid}`);
    expect(await statusOf(desk, failing)).toMatchObject({ status: "error", error });
    const warnings = [{ type: "other", message: expect.stringMatching(/^Failed: video-\w+\. /) }];
    expect(await statusOf(desk, mixed)).toMatchObject({
      status: "completed",
      videos: [{ type: "url" }],
      warnings,
    });
  });

  test("of another service, or not of this provider, is rejected", async () => {
    const desk = createDesk();
    const [saved] = (await start(desk)) as [object];
    const { calls } = desk.emulator;
    const sent = calls.length;
    for (const operation of [[{ ...saved, origin: "https://elsewhere.example" }], "job-1", null])
      expect(await errorOf(statusOf(desk, operation))).toMatchObject({
        name: "AI_InvalidArgumentError",
      });
    expect(desk.emulator.calls).toHaveLength(sent);
  });
});
