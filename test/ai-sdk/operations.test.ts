import { experimental_getVideoStatus as getVideoStatus, experimental_startVideo as startVideo } from "ai";
import { describe, expect, test } from "vitest";
import { createDesk, type Desk, errorOf } from "./desk.ts";

const prompt = "A fox runs through snow";

/** Starts videos, and returns what is left of their operation in another process. */
async function start({ mediagen }: Desk, given: Partial<Parameters<typeof startVideo>[0]> = {}) {
  const { operation } = await startVideo({ model: mediagen.video("vidmodelv2"), prompt, ...given });
  // The cast: it was JSON.
  return JSON.parse(JSON.stringify(operation)) as typeof operation;
}

const statusOf = ({ mediagen }: Desk, operation: Awaited<ReturnType<typeof start>>, maxRetries = 0) =>
  getVideoStatus(mediagen.video("vidmodelv2"), { operation, maxRetries });

describe("a video that was started", () => {
  test("is pending until it is completed, in any process", async () => {
    const desk = createDesk({ emulator: { clock: "manual" } });
    const operation = await start(desk);
    expect((await statusOf(desk, operation)).status).toBe("pending");
    desk.emulator.clock.advance("1h");
    const { taskid } = desk.emulator.charges[0] ?? {};
    expect(await statusOf(desk, operation)).toMatchObject({
      status: "completed",
      videos: [{ type: "url", url: expect.stringContaining(`${taskid}`) }],
      warnings: [],
      providerMetadata: { mediagen: { tasks: [{ taskid }] } },
    });
    expect(desk.emulator.charges).toHaveLength(1);
  });

  test("is pending, not lost, if the service does not know it yet", async () => {
    const desk = createDesk({ emulator: { clock: "manual" } });
    const operation = await start(desk);
    desk.emulator.next({ fault: "failure", on: "query" });
    expect((await statusOf(desk, operation)).status).toBe("pending");
    desk.emulator.clock.advance("61s");
    desk.emulator.next({ fault: "failure", on: "query" });
    expect(await errorOf(statusOf(desk, operation))).toMatchObject({
      // Of a check, which is free.
      isRetryable: true,
      message: expect.stringMatching(/^Task video-\w+ was created and billed/),
      data: { tasks: [{ taskid: desk.emulator.charges[0]?.taskid }] },
    });
  });

  test("ends in an error that names it if it fails, and in a warning if another one succeeds", async () => {
    const desk = createDesk({ emulator: { clock: "manual" } });
    const [failing, both] = [await start(desk, { prompt: "A fox #fail" }), await start(desk)];
    desk.emulator.next({ fault: "taskFails", on: "generate" });
    const mixed = await start(desk, { n: 2 });
    desk.emulator.clock.advance("1h");
    const [first] = desk.emulator.charges;
    expect(await statusOf(desk, failing)).toMatchObject({
      status: "error",
      error: expect.stringContaining(`${first?.taskid}`),
    });
    expect(await statusOf(desk, mixed)).toMatchObject({
      status: "completed",
      videos: [{ type: "url" }],
      warnings: [{ type: "other", message: expect.stringMatching(/^Failed: video-\w+\. /) }],
    });
    expect((await statusOf(desk, both)).status).toBe("completed");
  });

  test("of another service, or not of this provider, is rejected", async () => {
    const desk = createDesk();
    const [saved] = (await start(desk)) as [object];
    const { calls } = desk.emulator;
    const sent = calls.length;
    for (const operation of [[{ ...saved, origin: "https://elsewhere.example" }], "job-1", null])
      expect(await errorOf(statusOf(desk, operation))).toMatchObject({ name: "AI_InvalidArgumentError" });
    expect(desk.emulator.calls).toHaveLength(sent);
  });
});
