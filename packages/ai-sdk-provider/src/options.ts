import type { JSONObject, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { InvalidRequestError } from "@mediagen/sdk";
import type { Form, Issue, MediaGen, MediaGenOptions, Model, Task, TaskJSON, WaitUpdate } from "@mediagen/sdk";
import { issueOf } from "@mediagen/sdk/kit";

/** The name of the provider, and of its options and metadata in the AI SDK. */
export const providerName = "mediagen";

/** Options of `createMediaGenProvider`: its own, and a client as `media` or the options of `createMediaGen` for one. */
export interface MediaGenProviderOptions extends MediaGenOptions {
  /**
   * The client that generates. Pass one of `@mediagen/sdk/node` with a store, so that idempotency keys work and a crash
   * loses no task. Options of a client are rejected next to it.
   * @default createMediaGen(options) of `@mediagen/sdk`, created at the first call if there are no options for it
   */
  readonly media?: MediaGen;
  /**
   * The API key, or a function that returns it for each call. `undefined` is rejected, because the environment's account
   * would pay.
   * @default MEDIAGEN_API_KEY of the environment
   */
  readonly apiKey?: Exclude<MediaGenOptions["apiKey"], undefined>;
  /**
   * The URL of the service. `undefined` is rejected.
   * @default MEDIAGEN_BASE_URL of the environment
   */
  readonly baseUrl?: string;
  /**
   * Called with each task as soon as it is billed. May be async. If it throws, the call continues with a warning. Save
   * the task here if your program may end, or may abort, before the result is available.
   */
  readonly onTask?: ((task: Task) => unknown) | undefined;
  /** Called after every poll, with the task and the usual time that its model takes. Throwing ends the wait. */
  readonly onUpdate?: ((update: WaitUpdate) => unknown) | undefined;
  /**
   * The maximum time to wait for a task, in milliseconds.
   * @default 1_800_000 (30 minutes)
   */
  readonly waitTimeoutMs?: number | undefined;
  /**
   * The outcome of a setting that the model has no field for: a warning next to the result, or an error before anything
   * is billed.
   * @default "warn"
   */
  readonly unsupported?: "warn" | "throw" | undefined;
}

/**
 * The fields of a model's form, for `providerOptions.mediagen`. They are checked before anything is sent, and replace
 * what the settings of the AI SDK say.
 */
export type MediaGenModelOptions<M extends Model = Model> = Partial<Form<M>> & {
  /**
   * Your own key for the generation, as in `generate` of the SDK. The header `Idempotency-Key` does the same. A key that
   * is present and `undefined` is rejected.
   */
  readonly idempotencyKey?: string;
};

/** Returns the `providerOptions` of this provider. */
export function ownOptions(options: SharedV4ProviderOptions): JSONObject {
  return options[providerName] ?? {};
}

/** The names of the provider's own options. */
export const ownNames: readonly string[] = ["media", "onTask", "onUpdate", "waitTimeoutMs", "unsupported"];

/** Rejects options that are not valid. `createMediaGen` checks those of the client, and nobody reads them next to `media`. */
export function checkOptions(options: MediaGenProviderOptions, ofClient: readonly string[]): void {
  const { media, waitTimeoutMs = 0, unsupported } = options;
  const issues: Issue[] = [];
  const check = (field: string, isValid: boolean, expected: string, received: unknown) =>
    isValid ? undefined : issues.push(issueOf(field, "invalid", `must be ${expected}, not ${received}`));
  for (const field of ofClient) {
    // The client would suggest an option of its own.
    const meant = ownNames.find((name) => field.toLowerCase().startsWith(name.toLowerCase()));
    if (meant) issues.push(issueOf(field, "unknown", "is not a known option", `Did you mean ${meant}?`));
    else check(field, !media, "an option of createMediaGen for media", "one next to it");
  }
  if ("media" in options)
    check("media", isClient(media), "a client of the same version of @mediagen/sdk", media && "another copy's");
  for (const name of ["apiKey", "baseUrl"] as const)
    if (name in options) check(name, Boolean(options[name]), "set, or left out", options[name]);
  for (const name of ["onTask", "onUpdate"] as const)
    check(name, ["undefined", "function"].includes(typeof options[name]), "a function", options[name]);
  check("waitTimeoutMs", typeof waitTimeoutMs === "number" && waitTimeoutMs >= 0, "a number, 0 or more", waitTimeoutMs);
  check("unsupported", [undefined, "warn", "throw"].includes(unsupported), '"warn" or "throw"', `"${unsupported}"`);
  if (issues.length > 0) throw new InvalidRequestError("createMediaGenProvider", issues);
}

/** Returns whether it is a client of this copy of the SDK, which cannot fetch the results of another copy's tasks. */
function isClient(media: MediaGen | undefined): boolean {
  try {
    // The cast: the client's own copy of the SDK rejects this argument with its own error.
    media?.task({} as TaskJSON);
  } catch (error) {
    return error instanceof InvalidRequestError;
  }
  return false;
}
