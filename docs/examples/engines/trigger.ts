import { checkStep, createMediaGen, stepError, type GenerationStore } from "@mediagen/sdk/node";
import { AbortTaskRunError, task, wait } from "@trigger.dev/sdk";

declare const store: GenerationStore; // in your database: each attempt may run on another machine

const media = createMediaGen({ store, retries: 0 });

export const makeVideo = task({
  id: "make-video",
  retry: { maxAttempts: 10 },
  run: async ({ order, prompt }: { readonly order: string; readonly prompt: string }) => {
    const generated = await media.video.generate("vidmodelv2", { prompt }, { idempotencyKey: order });
    for (let saved = generated.toJSON(); ;) {
      const step = await checkStep(media.task(saved));
      if (step.state !== "pending") return step.record?.url ?? [];
      saved = step.task;
      await wait.for({ seconds: step.afterMs / 1000 });
    }
  },
  catchError: ({ error }) => {
    const next = stepError(error);
    if (next?.outcome === "again") return { retryAt: new Date(Date.now() + next.afterMs) };
    if (next) throw new AbortTaskRunError(next.reason);
    return undefined;
  },
});
