import { InvalidArgumentError } from "@ai-sdk/provider";
import type {
  ImageModelV4CallOptions as ImageCall,
  JSONObject,
  SharedV4Warning,
} from "@ai-sdk/provider";
import {
  blobs,
  isModel,
  type GenerateOptions,
  type MediaGen,
  type ModelInfo,
  type Task,
} from "@mediagen/sdk";
import { service } from "@mediagen/sdk/kit";
import { generationError, joinErrors, resultError, textOf } from "./errors.ts";
import { fileFields, type Source } from "./files.ts";
import { countField, fillForm, type Settings } from "./form.ts";
import { type MediaGenProviderOptions, ownOptions, VERSION } from "./options.ts";

/** Dependencies that the models of one provider share. */
export interface Host extends Pick<
  MediaGenProviderOptions,
  "onTask" | "onUpdate" | "waitTimeoutMs"
> {
  /** Returns the client. */
  readonly media: () => MediaGen;
}

/** A call of a model, with its source images. */
interface Call
  extends Settings, Pick<ImageCall, "n" | "providerOptions" | "headers" | "abortSignal"> {
  readonly sources: readonly Source[];
}

/** Tasks that have been billed. */
interface Started {
  readonly tasks: readonly Task[];
  readonly warnings: SharedV4Warning[];
}

/** A result with its metadata. */
interface Fetched {
  readonly data: Uint8Array;
  readonly mediaType: string;
  readonly metadata: JSONObject;
}

/**
 * Generates as many tasks as a call needs. If one of several fails, its error becomes a warning.
 * Throwing it would lose the results of the others, which are billed.
 */
export async function start(host: Host, info: ModelInfo, call: Call): Promise<Started> {
  const { forms, warnings } = formsOf(info, call);
  const media = host.media();
  const { kind, model } = info;
  const url = media.origin + (service.operations[kind].generate[model]?.path ?? "");
  const tasks: Task[] = [];
  const errors: unknown[] = [];
  const optionsAt = optionsOf(media, call);
  // The cast: both check the model and its form at run time. A newer model has only its kind.
  const generate = media[kind].generate as MediaGen["generate"];
  const generateOne = async (form: object, index: number) => {
    // The tasks stay in the order of their forms.
    tasks[index] = await generate(
      model,
      { ...form },
      { ...optionsAt(index), unchecked: !isModel(model) },
    );
    await host.onTask?.(tasks[index]);
  };
  await Promise.all(
    forms.map((form, index) =>
      generateOne(form, index).catch((error: unknown) => {
        const { [index]: task } = tasks;
        if (!task) errors.push(generationError(error, { url, requestBodyValues: form }));
        else
          errors.push(
            new Error(`onTask failed for task ${task.taskid}: ${textOf(error)}`, { cause: error }),
          );
      }),
    ),
  );
  // Failed ones leave holes in the array, which `flat` skips.
  const created = tasks.flat();
  if (created.length === 0) throw joinErrors(errors, { url, requestBodyValues: forms });
  return { tasks: created, warnings: [...warnings, ...errors.map(warningOf)] };
}

/** Fills in a form for each task. */
function formsOf(info: ModelInfo, { n, ...call }: Call) {
  const { idempotencyKey: _, ...own } = ownOptions(call.providerOptions);
  const { form, left } = fillForm(info, call);
  const count = countField(info);
  if (count && n > 1 && own[count.field] !== undefined) {
    const message = `n and providerOptions.mediagen.${count.field} are both set. Nothing was sent. Use n.`;
    throw new InvalidArgumentError({ argument: "n", message });
  }
  const filled = { ...form, ...fileFields(info, call.sources) };
  const most = count?.most ?? 1;
  const forms = Array.from({ length: Math.ceil(n / most) }, (_, index) => {
    const results = Math.min(most, n - index * most);
    return { ...filled, ...(count && results > 1 ? { [count.field]: results } : {}), ...own };
  });
  const details = `${info.model} has no field for it, or another setting uses it.`;
  return {
    forms,
    warnings: left.map((feature): SharedV4Warning => ({ type: "unsupported", feature, details })),
  };
}

/**
 * Returns the options of each of a call's generations. A header `Idempotency-Key` is the key, which
 * the SDK rejects if the client has an API key and no store: it would be ignored.
 */
function optionsOf(
  { store }: MediaGen,
  { abortSignal: signal, ...call }: Call,
): (index: number) => GenerateOptions {
  const given = Object.entries(call.headers ?? {}).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const all = Object.fromEntries(given);
  const { "idempotency-key": header, ...others } = all;
  const headers = {
    ...others,
    "user-agent": `${others["user-agent"] ?? ""} ai-sdk/mediagen/${VERSION}`.trim(),
  };
  const own = ownOptions(call.providerOptions);
  // The AI SDK makes such a key for `startVideo` and `poll`. The caller has not requested it, so it
  // is no mistake.
  const isIgnored = String(header).startsWith("aisdk_vid_") && (!store || "idempotencyKey" in own);
  const keys = new Set([
    ...("idempotencyKey" in own ? [own["idempotencyKey"]] : []),
    ...("idempotency-key" in all && !isIgnored ? [header] : []),
  ]);
  if (keys.size === 0) return () => ({ signal, headers });
  const [key] = keys;
  // The SDK rejects such a key, but would accept it with "/1", for the second task.
  if (keys.size > 1 || typeof key !== "string" || !/\S$/.test(key)) {
    const message =
      "The idempotency key is not text, is empty, ends with a space, or differs from the header. Nothing was sent. Check it.";
    throw new InvalidArgumentError({ argument: "idempotencyKey", message });
  }
  return (index) => ({ signal, headers, idempotencyKey: index > 0 ? `${key}/${index}` : key });
}

/** Waits for tasks and fetches their results. It fails only if no task has results. */
export async function finish(
  { media, onUpdate, waitTimeoutMs }: Host,
  { tasks, warnings }: Started,
  signal: AbortSignal | undefined,
): Promise<{ readonly results: readonly Fetched[]; readonly warnings: SharedV4Warning[] }> {
  const errors: unknown[] = [];
  const fetchOne = async (task: Task) => {
    const { url } = await task.wait({ signal, onUpdate, waitTimeoutMs });
    const files = await blobs(task, { signal });
    const read = async (file: Blob, index: number): Promise<Fetched> => ({
      data: new Uint8Array(await file.arrayBuffer()),
      mediaType: file.type,
      metadata: { taskid: task.taskid, url: url[index], task: task.toJSON() },
    });
    return Promise.all(files.map(read));
  };
  const fetched = tasks.map((task) =>
    fetchOne(task).catch((error: unknown) => {
      errors.push(error);
      return [];
    }),
  );
  const results = (await Promise.all(fetched)).flat();
  if (errors.length > 0) signal?.throwIfAborted();
  if (results.length === 0) throw resultError(errors[0], tasks, media().origin, false);
  return { results, warnings: [...warnings, ...errors.map(warningOf)] };
}

function warningOf(error: unknown): SharedV4Warning {
  return { type: "other", message: textOf(error) };
}
