import { checkStep, createMediaGen, stepError, type GenerationStore, type TaskJSON } from "@mediagen/sdk/node";
import { AbortTaskRunError, task, wait } from "@trigger.dev/sdk";

declare const store: GenerationStore; // in your database: each attempt may run on another machine

const media = createMediaGen({ store, retries: 0 });

async function generate(idempotencyKey: string, prompt: string): Promise<TaskJSON> {
  try {
    return (await media.video.generate("vidmodelv2", { prompt }, { idempotencyKey })).toJSON();
  } catch (error) {
    const next = stepError(error);
    if (next && next.outcome !== "again") throw new AbortTaskRunError(next.reason);
    throw error;
  }
}

export const makeVideo = task({
  id: "make-video",
  retry: { maxAttempts: 10 },
  run: async ({ order, prompt }: { readonly order: string; readonly prompt: string }) => {
    for (let saved = await generate(order, prompt); ;) {
      const step = await checkStep(media.task(saved));
      if (step.state === "succeeded") return step.record.url;
      if (step.state !== "pending") throw new AbortTaskRunError(`Task ${saved.taskid}: ${step.state}`);
      saved = step.task;
      await wait.for({ seconds: step.afterMs / 1000 });
    }
  },
  // It also receives errors of a check: the next attempt checks the same task.
  catchError: ({ error }) => {
    const next = stepError(error);
    return next?.outcome === "again" ? { retryAt: new Date(Date.now() + next.afterMs) } : undefined;
  },
});
