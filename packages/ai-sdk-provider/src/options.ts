import type { JSONObject, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Form, MediaGen, Model, Task, WaitUpdate } from "@mediagen/sdk";

/** The name of the provider, and of its options and metadata in the AI SDK. */
export const providerName = "mediagen";

/** Options of `createMediaGenProvider`. */
export interface MediaGenProviderOptions {
  /**
   * The client that generates. Pass one of `@mediagen/sdk/node` with a store, so that idempotency keys work and a crash
   * loses no task.
   * @default createMediaGen() of `@mediagen/sdk`, created at the first call
   */
  readonly media?: MediaGen | undefined;
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
  /** Your own key for the generation, as in `generate` of the SDK. The header `Idempotency-Key` does the same. */
  readonly idempotencyKey?: string | undefined;
};

/** Returns the `providerOptions` of this provider. */
export function ownOptions(options: SharedV4ProviderOptions): JSONObject {
  return options[providerName] ?? {};
}
