import type { Form } from "@mediagen/sdk/node";
import * as restate from "@restatedev/restate-sdk";
import { check, generate } from "./steps.ts";

const final = (reason: string) => new restate.TerminalError(reason);

/**
 * Generates a video and waits for it. The key of the workflow is the idempotency
 * key.
 */
export async function run(
  context: restate.WorkflowContext,
  form: Form<"vidmodelv2">,
): Promise<readonly string[]> {
  let task = await context.run("generate", () =>
    generate(context.key, form, final),
  );
  for (;;) {
    const { state, url, afterMs, ...next } = await context.run("check", () =>
      check(task),
    );
    if (state === "succeeded") return url;
    if (state !== "pending") throw final(`Task ${task.taskid}: ${state}`);
    task = next.task;
    await context.sleep(afterMs);
  }
}

if (import.meta.main) {
  const video = restate.workflow({ name: "video", handlers: { run } });
  await restate.serve({
    services: [video],
    port: Number(process.env["PORT"] ?? 9080),
  });
}
