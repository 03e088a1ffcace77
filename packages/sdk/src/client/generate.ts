import type { Call } from "../call/call.ts";
import { taskidIn } from "../call/envelope.ts";
import { invalidRequest } from "../errors/errors.ts";
import { callListener, type Log } from "../errors/emit.ts";
import { describeValue, nothingWasSent } from "../errors/issue.ts";
import { resultCount, type WireFields } from "../form/form.ts";
import type { Form, Model } from "../form/model.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import type { Attempt } from "../store/attempt.ts";
import type { GenerationFacts } from "../task/generation.ts";
import type { RequestHeaders, TaskJSON } from "../task/task.ts";
import type { Time } from "../time/clock.ts";
import { orAbort } from "../time/deadline.ts";
import type { Entering, Leave } from "./limits.ts";
import type { OnUpload } from "../transport/transport.ts";
import type { GenerateOptions } from "./media-gen.ts";
import type { BeforeGenerate } from "./options.ts";

/** What generating needs of its client. */
export interface GenerateHost {
  readonly call: Call;
  readonly time: Time;
  readonly log: Log;
  readonly origin: string;
  /** Waits until the generation may be sent, by the limits of the client. */
  readonly enter: (generation: Entering) => Promise<Leave>;
  readonly beforeGenerate: BeforeGenerate | undefined;
  /** Loads what generates with a store. */
  readonly recording: (() => Promise<Recording>) | undefined;
  /** Whether the client has an API key. Without one, a server holds it, and may keep idempotency keys too. */
  readonly hasKey: boolean;
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
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly headers: RequestHeaders | undefined;
  readonly onUploadProgress: GenerateOptions["onUploadProgress"];
}

/** Generates and returns the task: a new one, or the one that its key stands for. */
export async function generate(checked: CheckedGeneration, host: GenerateHost): Promise<TaskJSON> {
  const { recording, hasKey } = host;
  rejectKey(checked, recording !== undefined || !hasKey);
  if (recording) return (await recording()).generate(checked, host);
  return inTurn(checked, host, async () => {
    await askBefore(checked, host);
    return send(checked, host, undefined, undefined);
  });
}

function rejectKey({ idempotencyKey, model }: CheckedGeneration, isKept: boolean): void {
  if (idempotencyKey === undefined) return;
  const reject = (code: "notAllowed" | "wrongType", received: string, expected: string, problem?: string) =>
    invalidRequest(model, "idempotencyKey", code, received, expected, nothingWasSent, problem ? { problem } : {});
  if (!isKept)
    throw reject("notAllowed", "a key and no store", "a client with one: createMediaGen({ store })", "needs a store");
  if (typeof idempotencyKey !== "string" || idempotencyKey === "") {
    throw reject("wrongType", describeValue(idempotencyKey), "text that is not empty");
  }
}

/** Runs a generation in its turn. */
export async function inTurn<T extends TaskJSON | undefined>(
  { model, operation, wire, signal }: CheckedGeneration,
  host: GenerateHost,
  run: () => Promise<T>,
): Promise<T> {
  const leave = await host.enter({ model, resultCount: resultCount(operation.body, wire), signal });
  try {
    const task = await run();
    leave(task);
    return task;
  } catch (error) {
    leave(undefined, error);
    throw error;
  }
}

/** Asks `beforeGenerate`, which is the caller's own code and may hang. */
export async function askBefore(
  { form, kind, model, signal }: CheckedGeneration,
  { beforeGenerate }: GenerateHost,
): Promise<void> {
  await orAbort(Promise.resolve(beforeGenerate?.(form, { kind, model })), signal);
  signal?.throwIfAborted();
}

/** Sends a generation, as an attempt if it is recorded, and returns its task. */
export async function send(
  { kind, model, form, operation, wire, signal, headers, onUploadProgress }: CheckedGeneration,
  { call, time, log, origin }: GenerateHost,
  attempt: Attempt | undefined,
  facts: GenerationFacts | undefined,
): Promise<TaskJSON> {
  // The cast: a form of any model is asked whether it has a seed.
  const { seed } = form as { readonly seed?: number | string };
  const generation = {
    kind,
    model,
    digest: facts?.digest,
    generationId: attempt?.id,
    eventId: attempt?.id ?? Math.random().toString(36).slice(2),
    at: attempt?.createdAt ?? time.now(),
    resultCount: resultCount(operation.body, wire),
    seed,
    origin,
  };
  const onPhase = attempt && ((phase: "sending" | "claimed") => attempt.enter(phase));
  const onUpload: OnUpload = (bytes, totalBytes) =>
    callListener("onUploadProgress", () => onUploadProgress?.({ bytes, totalBytes }), log);
  const { data, response } = await call(operation, wire, {
    subject: { kind, model },
    signal,
    headers,
    generation,
    onPhase,
    onUpload,
  });
  const requestId = response.requestId?.();
  return {
    version: 2,
    kind,
    model,
    taskid: taskidIn(data) ?? "",
    origin,
    resultCount: generation.resultCount,
    createdAt: time.now(),
    ...(typeof data["url"] === "string" ? { initialUrl: data["url"] } : {}),
    ...(requestId === undefined ? {} : { requestId }),
  };
}
