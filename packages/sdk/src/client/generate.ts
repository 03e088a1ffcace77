import { call } from "../call/call.ts";
import { taskidIn } from "../call/answer.ts";
import { withoutUndefined } from "../spec/values.ts";
import type { Attempt } from "../store/attempt.ts";
import type { TaskJSON } from "../task/task.ts";
import { orAbort } from "../time/deadline.ts";
import { type CheckedGeneration, checkGeneration, type RequestedGeneration } from "./generation.ts";
import type { BeforeGenerate } from "./options.ts";
import type { TasksHost } from "./tasks.ts";

/** Dependencies of `generate`. */
export interface GenerateHost extends TasksHost {
  readonly beforeGenerate: BeforeGenerate | undefined;
}

/** Generates and returns the task: a new one, or the existing one of its idempotency key. */
export async function generate(host: GenerateHost, requested: RequestedGeneration): Promise<TaskJSON> {
  const checked = await checkGeneration(host, requested);
  const run = (attempt?: Attempt) => send(host, checked, attempt);
  return host.ledger ? (await host.ledger()).generate(checked, run) : run();
}

/** Sends a generation, as an attempt if it is recorded, and returns its task. */
async function send(
  host: GenerateHost,
  { kind, model, form, operation, wire, resultCount, signal, headers }: CheckedGeneration,
  attempt: Attempt | undefined,
): Promise<TaskJSON> {
  const { time, origin, beforeGenerate } = host;
  // The caller's own code, which may hang.
  await orAbort(Promise.resolve(beforeGenerate?.(form, { kind, model, resultCount })), signal);
  signal?.throwIfAborted();
  const { digest, id: generationId, createdAt: at = time.now() } = attempt?.facts ?? {};
  const generation = { kind, model, digest, generationId, at, resultCount, origin };
  const onPhase = attempt && ((phase: "sending" | "claimed") => attempt.enter(phase));
  const context = { subject: { kind, model }, signal, headers, generation, onPhase };
  const { data, response } = await call(host, operation, wire, context);
  const { url } = data;
  const initialUrl = typeof url === "string" ? url : undefined;
  const known = withoutUndefined({ initialUrl, requestId: response.requestId });
  return {
    version: 2,
    kind,
    model,
    taskid: taskidIn(data) ?? "",
    origin,
    resultCount,
    createdAt: time.now(),
    ...known,
  };
}
