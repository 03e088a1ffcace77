import type { JSONObject, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { InvalidRequestError } from "@mediagen/sdk";
import type {
  Form,
  MediaGen,
  MediaGenOptions,
  Model,
  Task,
  TaskJSON,
  WaitUpdate,
} from "@mediagen/sdk";
import { issueOf, type OptionTypes, readOptions } from "@mediagen/sdk/kit";

/** The name of the provider, and of its options and metadata in the AI SDK. */
export const providerName = "mediagen";

/** Written by the build. */
declare const MEDIAGEN_VERSION: string | undefined;
/** The version of this package. */
export const VERSION: string = typeof MEDIAGEN_VERSION === "undefined" ? "0.0.0" : MEDIAGEN_VERSION;

/**
 * Options of `createMediaGenProvider`: its own, and a client as `media` or the options of
 * `createMediaGen` for one.
 */
export interface MediaGenProviderOptions extends MediaGenOptions {
  /**
   * The client that generates. Pass one of `@mediagen/sdk/node` with a store, so that idempotency
   * keys work and a crash loses no task. Options of a client are rejected next to it.
   * @default createMediaGen(options) of `@mediagen/sdk`, created at the first call if there are no
   * options for it
   */
  readonly media?: MediaGen;
  /**
   * The API key, or a function that returns it. `undefined` is rejected, because the environment's
   * account would pay.
   * @default MEDIAGEN_API_KEY of the environment
   */
  readonly apiKey?: Exclude<MediaGenOptions["apiKey"], undefined>;
  /**
   * The URL of the service. `undefined` is rejected.
   * @default MEDIAGEN_BASE_URL of the environment
   */
  readonly baseUrl?: string;
  /**
   * Called with each task as soon as it is billed. May be async. If it throws, the call continues
   * with a warning. Save the task here if your program may end, or may abort, before the result is
   * available.
   */
  readonly onTask?: ((task: Task) => unknown) | undefined;
  /**
   * Called after every poll, with the task and the usual time that its model takes. Throwing ends
   * the wait.
   */
  readonly onUpdate?: ((update: WaitUpdate) => unknown) | undefined;
  /**
   * The maximum time to wait for a task, in milliseconds.
   * @default 1_800_000 (30 minutes)
   */
  readonly waitTimeoutMs?: number | undefined;
  /**
   * Whether `imageModel` and `videoModel` accept models that are newer than the SDK. Their forms
   * are not checked.
   * @default false
   */
  readonly unchecked?: boolean | undefined;
}

/**
 * The fields of a model's form, for `providerOptions.mediagen`. They replace what the settings of
 * the AI SDK say.
 */
export type MediaGenModelOptions<M extends Model = Model> = Partial<Form<M>> & {
  /**
   * Your own key for the generation, as the header `Idempotency-Key`. A key that is present and
   * `undefined` is rejected.
   */
  readonly idempotencyKey?: string;
};

/** Returns the `providerOptions` of this provider. */
export function ownOptions(options: SharedV4ProviderOptions): JSONObject {
  return options[providerName] ?? {};
}

type OwnOptions = Omit<MediaGenProviderOptions, keyof MediaGenOptions>;

/** The types of the provider's own options. */
export const ownTypes: OptionTypes<OwnOptions> = {
  media: "any",
  onTask: "function",
  onUpdate: "function",
  waitTimeoutMs: "limit",
  unchecked: "boolean",
};

/**
 * Returns the provider's own options. Rejects those that are not valid, and those of a client next
 * to `media`.
 */
export function readOwnOptions(options: MediaGenProviderOptions): OwnOptions {
  // The cast: these are the names of the table. Inherited options, as those of a class, are read
  // too.
  const given = (Object.keys(ownTypes) as (keyof OwnOptions)[]).map((name) => [
    name,
    options[name],
  ]);
  const subject = "createMediaGenProvider";
  const own = readOptions<OwnOptions>(
    subject,
    options.media ? options : Object.fromEntries(given),
    ownTypes,
  );
  const reject = (name: string, problem: string) =>
    new InvalidRequestError(subject, [issueOf(name, "invalid", problem)]);
  if ("media" in options && !isClient(own.media))
    throw reject("media", "is no client of the same version of @mediagen/sdk");
  for (const name of ["apiKey", "baseUrl"] as const)
    if (name in options && !options[name]) throw reject(name, "has no value");
  return own;
}

/**
 * Returns whether it is a client of this copy of the SDK, which cannot fetch the results of another
 * copy's tasks.
 */
function isClient(media: MediaGen | undefined): boolean {
  try {
    // The cast: the client's own copy of the SDK rejects this argument with its own error.
    media?.task({} as TaskJSON);
  } catch (error) {
    return Object(error).constructor === InvalidRequestError;
  }
  return false;
}
