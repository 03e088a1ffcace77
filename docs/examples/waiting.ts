// #region deadline
import { readFile, writeFile } from "node:fs/promises";
import {
  createMediaGen,
  TaskFailedError,
  WaitTimeoutError,
} from "@mediagen/sdk/node";

const media = createMediaGen();

const task = await media.video.generate("vidmodelv2", {
  prompt: "A fox runs through snow",
});
try {
  await task.wait({ waitTimeoutMs: 1 }); // far too short, to show what happens
} catch (error) {
  if (!(error instanceof WaitTimeoutError)) throw error;
  console.log(error.message);
  await writeFile("task.json", JSON.stringify(error.task));
}
// #endregion deadline

// #region statuses
const knowing = createMediaGen({
  // what you have seen at the service; these are the emulator's
  statuses: { succeeded: [2], failed: [3] },
});
// In the emulator, a task with this word in its prompt fails.
const doomed = await knowing.video.generate("vidmodelv2", {
  prompt: "A fox #fail",
});
try {
  await doomed.wait();
} catch (error) {
  if (!(error instanceof TaskFailedError)) throw error;
  console.log(error.message, error.record);
}
// #endregion statuses

// #region classify
const reading = createMediaGen({
  classify: (seen) =>
    "message" in seen && /\bfail/.test(seen.message ?? "") ? "failed" : undefined,
});
console.log((await reading.video.task(doomed.taskid).check()).state);
// #endregion classify

// #region resume
const saved = media.task(JSON.parse(await readFile("task.json", "utf8")));
const record = await saved.wait({ signal: AbortSignal.timeout(60_000) });
console.log(record.url);
// #endregion resume
