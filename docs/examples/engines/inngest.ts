import { Inngest, NonRetriableError } from "inngest";
import { check, generate } from "./steps.ts";

const inngest = new Inngest({ id: "videos" });
const final = (reason: string) => new NonRetriableError(reason);

export const makeVideo = inngest.createFunction(
  { id: "make-video", triggers: [{ event: "video/ordered" }] },
  async ({ event, step }) => {
    const { order, prompt } = event.data as {
      readonly order: string;
      readonly prompt: string;
    };
    let task = await step.run("generate", () => generate(order, { prompt }, final));
    for (let count = 1; ; count++) {
      const { state, url, afterMs, ...next } = await step.run(
        `check ${count}`,
        () => check(task),
      );
      if (state === "succeeded") return url;
      if (state !== "pending") throw final(`Task ${task.taskid}: ${state}`);
      task = next.task;
      await step.sleep(`sleep ${count}`, afterMs);
    }
  },
);
