import { taskidIn } from "../money/response.ts";
import { call } from "../call/call.ts";
import { type ApiKey, ignoredWithKey, readHeaders } from "../call/headers.ts";
import { invalidRequest, rejectIssues } from "../errors/errors.ts";
import { mustBe, nothingWasSent } from "../errors/issue.ts";
import { readOptions } from "../errors/options.ts";
import { checkFiles } from "../form/files.ts";
import { readForm, readUnchecked, resultCount } from "../form/form.ts";
import { findModel, type Form, type Model, uncheckedOperation } from "../form/model.ts";
import type { Kind } from "../spec/operation.ts";
import { withoutUndefined } from "../spec/values.ts";
import type { Attempt } from "../store/attempt.ts";
import type { RequestHeaders, TaskJSON } from "../task/task.ts";
import { orAbort } from "../time/deadline.ts";
import type { Host } from "./host.ts";
import { type GenerateOptions, generateOptions } from "./options.ts";

interface RequestedGeneration {
  readonly kind: Kind | undefined;
  readonly model: Model;
  readonly form: Form<Model>;
  readonly options: GenerateOptions;
}

export async function generate(host: Host, requested: RequestedGeneration): Promise<TaskJSON> {
  const { model, form } = requested;
  const { apiKey, time, origin } = host;
  const kind = requested.kind ?? findModel(model).kind;
  const options = readOptions(model, requested.options, generateOptions, nothingWasSent);
  const { idempotencyKey, signal } = options;
  if ("idempotencyKey" in requested.options) checkKey(model, "idempotencyKey", idempotencyKey);
  if (idempotencyKey !== undefined && !host.ledger && apiKey !== undefined) {
    const advice = "Pass { store } to createMediaGen.";
    throw invalidRequest(
      model,
      "idempotencyKey",
      "notAllowed",
      "needs a store",
      advice,
      nothingWasSent,
    );
  }
  const headers = headersOf(model, options, apiKey);
  const { operation, wire } = await orAbort(readFields(kind, model, form, options), signal);
  const about = { kind, model, resultCount: resultCount(operation.body, wire) };
  const send = async (attempt?: Attempt): Promise<TaskJSON> => {
    // The caller's own code, which may hang.
    await orAbort(Promise.resolve(host.beforeGenerate?.(form, about)), signal);
    signal?.throwIfAborted();
    const { digest, id: generationId, createdAt: at = time.now() } = attempt?.facts ?? {};
    const ids = { generationId, attempt: attempt?.facts.attempt };
    const generation = { ...about, digest, ...ids, at, origin };
    const onPhase = attempt && ((phase: "sending" | "claimed") => attempt.enter(phase));
    const context = { subject: { kind, model }, signal, headers, generation, onPhase };
    const { data, response } = await call(host, operation, wire, context);
    const initialUrl = typeof data["url"] === "string" ? data["url"] : undefined;
    const known = withoutUndefined({ initialUrl, requestId: response.requestId });
    return {
      version: 2,
      ...about,
      taskid: taskidIn(data) ?? "",
      origin,
      createdAt: time.now(),
      ...known,
    };
  };
  if (!host.ledger) return send();
  return (await host.ledger()).generate(
    { ...about, operation, wire, idempotencyKey, signal },
    send,
  );
}

/**
 * Rejects a key that is present and undefined or blank: a mistyped `order.id` would be no key, and
 * each run would be billed.
 */
function checkKey(model: Model, field: string, key: unknown): void {
  if (typeof key === "string" && key.trim() !== "") return;
  const code = key === undefined || key === "" ? "missing" : "invalid";
  const advice = "Without a key, each run is billed.";
  throw invalidRequest(
    model,
    field,
    code,
    mustBe("text that is not blank", key),
    advice,
    nothingWasSent,
  );
}

/**
 * Returns the headers of a generation. The idempotency key lets a server recognise what a browser
 * or a proxy resends.
 */
function headersOf(
  model: Model,
  { headers, idempotencyKey }: GenerateOptions,
  apiKey: ApiKey,
): RequestHeaders {
  const given = readHeaders(
    model,
    headers,
    apiKey === undefined ? undefined : ignoredWithKey,
    nothingWasSent,
  );
  if (apiKey !== undefined) return given;
  const name = "idempotency-key";
  if (idempotencyKey !== undefined && (given[name] ?? idempotencyKey) !== idempotencyKey) {
    const problem = "differs from the option idempotencyKey";
    throw invalidRequest(
      model,
      `headers.${name}`,
      "notAllowed",
      problem,
      "Use idempotencyKey alone.",
      nothingWasSent,
    );
  }
  if (name in given) checkKey(model, `headers.${name}`, given[name]);
  // Pages over http have no randomUUID.
  const own = given[name] ?? idempotencyKey ?? crypto.randomUUID?.();
  return readHeaders(model, { ...given, [name]: own }, undefined, nothingWasSent);
}

async function readFields(
  kind: Kind,
  model: Model,
  form: Form<Model>,
  { extraFields, unchecked }: GenerateOptions,
) {
  const subject = typeof model === "string" ? model : "generate";
  const operation = unchecked ? uncheckedOperation(kind, model) : findModel(model, kind).operation;
  const { wire, issues } = unchecked
    ? readUnchecked(form, extraFields)
    : readForm(operation.body, form, extraFields);
  rejectIssues(subject, issues, nothingWasSent);
  rejectIssues(subject, await checkFiles(operation.body, wire), nothingWasSent);
  return { operation, wire };
}
