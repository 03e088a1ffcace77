import { AbortTaskRunError, task, wait } from "@trigger.dev/sdk";
import { check, generate } from "./steps.ts";

const final = (reason: string) => new AbortTaskRunError(reason);

export const makeVideo = task({
  id: "make-video",
  retry: { maxAttempts: 10 },
  run: async ({ order, prompt }: { readonly order: string; readonly prompt: string }) => {
    for (let saved = await generate(order, { prompt }, final); ;) {
      const { state, url, afterMs, ...next } = await check(saved);
      if (state === "succeeded") return url;
      if (state !== "pending") throw final(`Task ${saved.taskid}: ${state}`);
      saved = next.task;
      await wait.for({ seconds: afterMs / 1000 });
    }
  },
});
