import { checkStep, createMediaGen, fileStore, stepError, type TaskJSON } from "@mediagen/sdk/node";
import { Inngest, NonRetriableError, RetryAfterError } from "inngest";

// On several machines, keep the store in your database.
const media = createMediaGen({ store: fileStore("generations"), retries: 0 });
const inngest = new Inngest({ id: "videos" });

async function generate(idempotencyKey: string, prompt: string): Promise<TaskJSON> {
  try {
    return (await media.video.generate("vidmodelv2", { prompt }, { idempotencyKey })).toJSON();
  } catch (error) {
    const next = stepError(error);
    if (next?.outcome === "again") throw new RetryAfterError(next.reason, next.afterMs);
    if (next) throw new NonRetriableError(next.reason);
    throw error;
  }
}

export const makeVideo = inngest.createFunction(
  { id: "make-video", triggers: [{ event: "video/ordered" }] },
  async ({ event, step }) => {
    const { order, prompt } = event.data as { readonly order: string; readonly prompt: string };
    let task = await step.run("generate", () => generate(order, prompt));
    for (let check = 1; ; check++) {
      const next = await step.run(`check ${check}`, () => checkStep(media.task(task)));
      if (next.state === "succeeded") return next.record.url;
      if (next.state !== "pending") throw new NonRetriableError(`Task ${task.taskid}: ${next.state}`);
      task = next.task;
      await step.sleep(`sleep ${check}`, next.afterMs);
    }
  },
);
