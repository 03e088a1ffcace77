// Runs the activities of the docs as a worker does, the first one twice: as Temporal does if a
// worker dies before it has reported.
import { setTimeout } from "node:timers/promises";
import type { Form } from "@mediagen/sdk/node";
import { MockActivityEnvironment } from "@temporalio/testing";
import { checkVideo, generateVideo } from "../out/engines/temporal.ts";

const worker = new MockActivityEnvironment();
// The casts: its types do not infer the result, and one form has a mistake.
const run = async <T>(activity: () => Promise<T>) => (await worker.run(activity)) as T;
const generate = (form: object) => run(() => generateVideo(form as Form<"vidmodelv2">));
const first = await generate({ prompt: "A fox" });
const second = await generate({ prompt: "A fox" });
let { state, task, afterMs, url } = await run(() => checkVideo(second));
while (state === "pending") {
  await setTimeout(afterMs);
  ({ state, task, afterMs, url } = await run(() => checkVideo(task)));
}
const isFinal = await generate({ promt: "A fox" }).catch(
  (error: unknown) => Object(error).nonRetryable === true,
);
console.log(JSON.stringify([first.taskid === second.taskid && isFinal, url]));
