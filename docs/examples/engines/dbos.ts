import { DBOS } from "@dbos-inc/dbos-sdk";
import { checkStep, createMediaGen, generateStep, type Form, type TaskJSON } from "@mediagen/sdk/node";
import pg from "pg";
import { postgresStore, table } from "../stores/postgres-store.ts";

const url = process.env["DATABASE_URL"] ?? "";
const pool = new pg.Pool({ connectionString: url });
const media = createMediaGen({ store: postgresStore(pool), retries: 0 });

/** The result of a workflow. */
interface Made {
  readonly state: string;
  readonly taskid?: string;
  readonly url: readonly string[];
}

/** Generates a video and waits for it. The id of the workflow is the idempotency key. */
async function makeVideo(form: Form<"vidmodelv2">): Promise<Made> {
  const idempotencyKey = DBOS.workflowID ?? "";
  for (;;) {
    const generate = () => generateStep(media, "vidmodelv2", form, { idempotencyKey });
    const step = await DBOS.runStep(generate, { name: "generate" });
    if (step.outcome === "created") return waitFor(step.task, step.afterMs);
    if (step.outcome !== "again") return { state: `${step.outcome}: ${step.reason}`, url: [] };
    await DBOS.sleep(step.afterMs);
  }
}

async function waitFor(created: TaskJSON, firstMs: number): Promise<Made> {
  for (let task = created, afterMs = firstMs; ;) {
    await DBOS.sleep(afterMs);
    const check = () => checkStep(media.task(task));
    const step = await DBOS.runStep(check, { name: "check", retriesAllowed: true, maxAttempts: 10 });
    const { state } = step;
    if (step.state !== "pending") return { state, taskid: task.taskid, url: step.record?.url ?? [] };
    ({ task, afterMs } = step);
  }
}

const workflow = DBOS.registerWorkflow(makeVideo, { name: "makeVideo" });
await pool.query(table);
DBOS.setConfig({ name: "videos", systemDatabaseUrl: url });
await DBOS.launch(); // It resumes the workflows of a process that has died.
const [order = "order-1"] = process.argv.slice(2);
const handle = await DBOS.startWorkflow(workflow, { workflowID: order })({ prompt: "A fox runs through snow" });
console.log(await handle.getResult());
await DBOS.shutdown();
await pool.end();
