// #region setup
import assert from "node:assert/strict";
import { test } from "node:test";
import { createEmulator } from "@mediagen/emulator";
import {
  blobs,
  createMediaGen,
  OutcomeUnknownError,
  TaskFailedError,
} from "@mediagen/sdk";
// #endregion setup

// #region in-process
test("a fox becomes a clip", async () => {
  const emulator = createEmulator();
  const media = createMediaGen(emulator.client);

  const task = await media.video.generate("vidmodelv2", {
    prompt: "A fox runs through snow",
    duration: 10,
  });
  await task.wait();
  const [clip] = await blobs(task);

  assert.equal(clip?.type, "video/mp4");
  assert.equal(emulator.charges.length, 1);
});
// #endregion in-process

// #region fixture
import { useEmulator } from "@mediagen/emulator/node-test";

const emulator = useEmulator({ credits: 100 });

test("a fox is billed once", async () => {
  const media = createMediaGen(emulator.client);
  await media.image.generate("imgmodelv4", { prompt: "A fox" });
  emulator.paidOnce();
  emulator.noViolations(); // no typo, no wrong key, no value out of bounds
});
// #endregion fixture

// #region fault
test("a lost response is not billed twice", async () => {
  const emulator = createEmulator();
  const media = createMediaGen(emulator.client);
  // the task exists, its response is lost
  emulator.next({ fault: "resetAfter", on: "generate" });

  await assert.rejects(
    media.image.generate("imgmodelv4", { prompt: "A fox" }),
    OutcomeUnknownError,
  );
  assert.equal(emulator.charges.length, 1);
});
// #endregion fault

// #region words
test("a failed task rejects its wait", async () => {
  // it brings the emulator's statuses along
  const media = createMediaGen(createEmulator().client);
  const task = await media.image.generate("imgmodelv4", { prompt: "A fox #fail" });
  await assert.rejects(task.wait(), TaskFailedError);
});
// #endregion words

// #region time
test("a task is pending until its time has come", async () => {
  const emulator = createEmulator({ clock: "manual" });
  const media = createMediaGen(emulator.client);
  const task = await media.video.generate("vidmodelv2", { prompt: "A fox" });

  assert.equal((await task.check()).state, "pending");
  emulator.clock.advance("1h");
  assert.equal((await task.check()).state, "succeeded");
});
// #endregion time

// #region behaviour
test("nothing here depends on what the service does not document", async () => {
  const behaviour = {
    statuses: "scrambled",
    resultsArrive: "one by one",
    unknownIds: "ignore",
  } as const;
  const emulator = createEmulator({ behaviour });
  const media = createMediaGen({ ...emulator.client, statuses: undefined });
  const task = await media.image.generate("imgmodelv4", {
    prompt: "Four foxes",
    batchsize: 4,
  });
  assert.equal((await task.wait()).url.length, 4);
});
// #endregion behaviour
