// The service of the docs and one that a newcomer writes, both killed after their step has
// generated.
import { createMediaGen, type Form } from "@mediagen/sdk/node";
import * as restate from "@restatedev/restate-sdk";
import { run } from "../out/engines/restate.ts";
import { killOnce } from "./kill-once.ts";

const media = createMediaGen({ retries: 0 });

/** Returns the context with steps that kill this process. */
function killing(context: restate.WorkflowContext): restate.WorkflowContext {
  const runStep = (name: string, step: () => Promise<unknown>) =>
    context.run(name, async () => {
      const result = await step();
      if (name === "generate") killOnce();
      return result;
    });
  return new Proxy(context, {
    get(target, name) {
      if (name === "run") return runStep;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function runNaively(
  context: restate.WorkflowContext,
  form: Form<"vidmodelv2">,
): Promise<string> {
  const generate = async () => (await media.video.generate("vidmodelv2", form)).toJSON();
  const { taskid } = await killing(context).run("generate", generate);
  return taskid;
}

const video = restate.workflow({
  name: "video",
  handlers: {
    run: (context: restate.WorkflowContext, form: Form<"vidmodelv2">) =>
      run(killing(context), form),
  },
});
const naive = restate.workflow({ name: "naive", handlers: { run: runNaively } });
await restate.serve({ services: [video, naive], port: Number(process.env["PORT"]) });
