import type { ApiKey } from "../call/api-key.ts";
import type { Call } from "../call/call.ts";
import { taskidIn } from "../call/envelope.ts";
import { invalidRequest } from "../errors/errors.ts";
import { describeValue, nothingWasSent } from "../errors/issue.ts";
import type { WireFields } from "../form/form.ts";
import type { Form, Model } from "../form/model.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import { withoutUndefined } from "../spec/without-undefined.ts";
import type { Attempt } from "../store/attempt.ts";
import type { GenerationFacts } from "../task/generation.ts";
import type { RequestHeaders, TaskJSON } from "../task/task.ts";
import type { Time } from "../time/clock.ts";
import { orAbort } from "../time/deadline.ts";
import type { Semaphore } from "../time/semaphore.ts";
import type { LazyLimits } from "./limits.ts";
import type { BeforeGenerate } from "./options.ts";

/** Dependencies of `generate`. */
export interface GenerateHost {
  readonly call: Call;
  readonly time: Time;
  readonly origin: string;
  /** Limits how many generations are sent at once. */
  readonly turns: Semaphore;
  readonly limits: LazyLimits | undefined;
  readonly beforeGenerate: BeforeGenerate | undefined;
  /** Loads the part that generates with a store. */
  readonly recording: (() => Promise<Recording>) | undefined;
  /** The API key. Without one, a server holds it, and may keep idempotency keys too. */
  readonly apiKey: ApiKey;
}

/** Generates with every step recorded in a store. */
export interface Recording {
  generate(checked: CheckedGeneration, host: GenerateHost): Promise<TaskJSON>;
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
  const { recording, apiKey } = host;
  checkIdempotencyKey(checked, recording !== undefined || apiKey === undefined);
  if (recording) return (await recording()).generate(checked, host);
  return inTurn(checked, host, async () => {
    await askBefore(checked, host);
    return send(checked, host, undefined, undefined);
  });
}

function checkIdempotencyKey({ idempotencyKey, model }: CheckedGeneration, isKept: boolean): void {
  if (idempotencyKey === undefined) return;
  const reject = (code: "notAllowed" | "wrongType", received: string, expected: string, problem?: string) =>
    invalidRequest(model, "idempotencyKey", code, received, expected, nothingWasSent, { problem });
  if (!isKept)
    throw reject("notAllowed", "a key and no store", "a client with one: createMediaGen({ store })", "needs a store");
  if (typeof idempotencyKey !== "string" || idempotencyKey.trim() === "") {
    throw reject("wrongType", describeValue(idempotencyKey), "text that is not blank");
  }
}

/** Runs a generation in its turn. */
export async function inTurn<T extends TaskJSON | undefined>(
  { model, resultCount, signal }: CheckedGeneration,
  { limits, turns }: GenerateHost,
  run: () => Promise<T>,
): Promise<T> {
  const acquire = () => turns.acquire(signal);
  const leave = limits ? await (await limits.load()).enter({ model, resultCount, signal }, acquire) : await acquire();
  try {
    const task = await run();
    leave(task);
    return task;
  } catch (error) {
    leave(undefined, error);
    throw error;
  }
}

/** Calls `beforeGenerate`, which is the caller's own code and may hang. */
export async function askBefore(
  { form, kind, model, signal }: CheckedGeneration,
  { beforeGenerate }: GenerateHost,
): Promise<void> {
  await orAbort(Promise.resolve(beforeGenerate?.(form, { kind, model })), signal);
  signal?.throwIfAborted();
}

/** Sends a generation, as an attempt if it is recorded, and returns its task. */
export async function send(
  { kind, model, form, operation, wire, resultCount, signal, headers }: CheckedGeneration,
  { call, time, origin }: GenerateHost,
  attempt: Attempt | undefined,
  facts: GenerationFacts | undefined,
): Promise<TaskJSON> {
  // The cast: the form of any model may have a seed.
  const { seed } = form as { readonly seed?: number | string };
  const generation = {
    kind,
    model,
    digest: facts?.digest,
    generationId: attempt?.id,
    eventId: attempt?.id ?? Math.random().toString(36).slice(2),
    at: attempt?.createdAt ?? time.now(),
    resultCount,
    seed,
    origin,
  };
  const onPhase = attempt && ((phase: "sending" | "claimed") => attempt.enter(phase));
  const { data, response } = await call(operation, wire, {
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
