import { createEmulator, type Session } from "@mediagen/emulator";
import { blobs, createMediaGen, OutcomeUnknownError } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";

const form = { prompt: "A fox" };

/** Generates an image from a picture, waits for it and returns its bytes; then a generation is lost. */
async function use(emulator: ReturnType<typeof createEmulator>, size = 9) {
  const media = createMediaGen(emulator.client);
  const sourceImage = new Blob(["GIF89a".padEnd(size, "x")], { type: "image/png" });
  const task = await media.image.generate("imgmodelv4", { ...form, sourceImage });
  const record = await task.wait();
  const [blob] = await blobs(task);
  return { taskid: task.taskid, record, picture: await blob?.text() };
}

async function record(): Promise<{ readonly session: Session; readonly used: Awaited<ReturnType<typeof use>> }> {
  const emulator = createEmulator({ seed: 7, apiKey: "a-secret-key" });
  const stop = emulator.record();
  const used = await use(emulator);
  emulator.next({ fault: "resetAfter", on: "generate" });
  const media = createMediaGen(emulator.client);
  await expect(media.image.generate("imgmodelv4", form)).rejects.toBeInstanceOf(OutcomeUnknownError);
  const session = JSON.parse(JSON.stringify(stop())) as Session;
  await media.image.generate("imgmodelv4", form); // no longer recorded
  expect(session.exchanges.filter(({ response }) => response === "reset")).toHaveLength(1);
  return { session, used };
}

describe("a recorded session", () => {
  test("never holds the API key, and no address of the emulator", async () => {
    const text = JSON.stringify((await record()).session);
    expect(text).not.toContain("a-secret-key");
    expect(text).not.toContain("emulator.localhost");
  });

  test("is replayed by another emulator, resets included, and nothing is billed", async () => {
    const { session, used } = await record();
    const emulator = createEmulator({ replay: session });
    const again = await use(emulator);
    expect(again).toEqual(used);
    const media = createMediaGen(emulator.client);
    await expect(media.image.generate("imgmodelv4", form)).rejects.toBeInstanceOf(OutcomeUnknownError);
    expect(emulator.charges).toEqual([]);
    expect(emulator.report()).toMatchObject({ violatingCalls: 0 });
  });

  test("has no response for a request that was not recorded, and says so", async () => {
    const { session } = await record();
    const emulator = createEmulator({ replay: session });
    await expect(use(emulator, 10)).rejects.toMatchObject({ name: "NotFoundError", status: 404 });
    expect(emulator.calls).toMatchObject([
      {
        operation: "generateImgmodelv4",
        violations: [expect.stringContaining("the recorded session has no POST /v1/")],
      },
    ]);
  });

  test("repeats the last response of a request", async () => {
    const { session, used } = await record();
    const media = createMediaGen(createEmulator({ replay: session }).client);
    for (let call = 0; call < 50; call++) await media.image.query(used.taskid).catch(() => undefined);
    expect(await media.image.query(used.taskid)).toEqual(used.record);
  });
});
