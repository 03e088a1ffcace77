import { call, type CallHost } from "../call/call.ts";
import { taskidIn } from "../call/answer.ts";
import { invalidRequest } from "../errors/errors.ts";
import { type IssueCode, mustBe, nothingWasSent } from "../errors/issue.ts";
import type { WireFields } from "../form/form.ts";
import type { Form, Model } from "../form/model.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import { withoutUndefined } from "../spec/without-undefined.ts";
import type { Attempt } from "../store/attempt.ts";
import type { Ledger } from "../store/ledger.ts";
import type { RequestHeaders, TaskJSON } from "../task/task.ts";
import { orAbort } from "../time/deadline.ts";
import type { Semaphore } from "../time/semaphore.ts";
import type { BeforeGenerate } from "./options.ts";

/** Dependencies of `generate`. */
export interface GenerateHost extends CallHost {
  readonly origin: string;
  /** Limits how many generations are sent at once. */
  readonly turns: Semaphore;
  readonly beforeGenerate: BeforeGenerate | undefined;
  /** Loads the ledger of the store, if there is one. */
  readonly ledger: (() => Promise<Ledger>) | undefined;
}

/** A generation whose form has been checked. */
export interface CheckedGeneration {
  readonly kind: Kind;
  readonly model: Model;
  readonly form: Form<Model>;
  readonly operation: Operation;
  readonly wire: WireFields;
  /** The number of results that the form requests. */
  readonly resultCount: number;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly headers: RequestHeaders | undefined;
}

/** Generates and returns the task: a new one, or the existing one of its idempotency key. */
export async function generate(checked: CheckedGeneration, host: GenerateHost): Promise<TaskJSON> {
  const { ledger, apiKey, turns } = host;
  checkIdempotencyKey(checked, ledger !== undefined || apiKey === undefined);
  const run = (attempt?: Attempt) => send(checked, host, attempt);
  if (ledger) return (await ledger()).generate(checked, run);
  return turns.run(checked.signal, run);
}

function checkIdempotencyKey({ idempotencyKey, model }: CheckedGeneration, isKept: boolean): void {
  if (idempotencyKey === undefined) return;
  const reject = (code: IssueCode, problem: string, advice?: string) =>
    invalidRequest(model, "idempotencyKey", code, problem, advice, nothingWasSent);
  if (!isKept) throw reject("notAllowed", "needs a store", "Use a client with one: createMediaGen({ store }).");
  if (typeof idempotencyKey !== "string" || idempotencyKey.trim() === "")
    throw reject("invalid", mustBe("text that is not blank", idempotencyKey));
}

/** Sends a generation, as an attempt if it is recorded, and returns its task. */
async function send(
  { kind, model, form, operation, wire, resultCount, signal, headers }: CheckedGeneration,
  host: GenerateHost,
  attempt: Attempt | undefined,
): Promise<TaskJSON> {
  const { time, origin, beforeGenerate } = host;
  // The caller's own code, which may hang.
  await orAbort(Promise.resolve(beforeGenerate?.(form, { kind, model, resultCount })), signal);
  signal?.throwIfAborted();
  const generation = {
    kind,
    model,
    digest: attempt?.facts.digest,
    generationId: attempt?.facts.id,
    at: attempt?.facts.createdAt ?? time.now(),
    resultCount,
    origin,
  };
  const onPhase = attempt && ((phase: "sending" | "claimed") => attempt.enter(phase));
  const { data, response } = await call(host, operation, wire, {
    subject: { kind, model },
    signal,
    headers,
    generation,
    onPhase,
  });
  const { url } = data;
  return {
    version: 2,
    kind,
    model,
    taskid: taskidIn(data) ?? "",
    origin,
    resultCount,
    createdAt: time.now(),
    ...withoutUndefined({ initialUrl: typeof url === "string" ? url : undefined, requestId: response.requestId?.() }),
  };
}
