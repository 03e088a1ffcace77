import type { Form, Model } from "../form/model.ts";
import type { Kind } from "../spec/operation.ts";
import type { DeleteFields, Deletions, QueryFields, Records } from "../spec/types.gen.ts";
import type { Resolution, UnknownGeneration } from "../store/recovery.ts";
import type { GenerationStore } from "../store/store.ts";
import type { UnreadableRecord } from "../task/generation.ts";
import type { AnyTask, CallOptions, RequestOptions, Task, TaskJSON, UploadProgress } from "../task/task.ts";
import type { MediaGenOptions } from "./options.ts";

/** How to generate. */
export interface GenerateOptions extends CallOptions, Pick<RequestOptions, "headers"> {
  /** Fields that the service takes and its description does not contain. They are sent unchecked. */
  readonly extraFields?: Readonly<Record<string, string | number | boolean | Blob>> | undefined;
  /**
   * Your own key for this generation, such as an order number: the same key returns the same task, in every process with the same
   * store. It needs the client's `store`. A client without an API key sends it to its own server instead, as the header
   * `idempotency-key`.
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * Whether the model and its form are sent without being checked against the service's description: for a model that is newer than
   * this SDK. Files go into the part that files of the other models go into, and a boolean is sent as "1" or "0", as their flags are.
   * What would be billed without its files is still rejected.
   * @default false
   */
  readonly unchecked?: boolean | undefined;
  /**
   * Called while the form with its files leaves; each attempt starts at 0 again. With `@mediagen/sdk/node` it is called for each piece
   * that the operating system has taken. The runtime's fetch does not tell, so that with `@mediagen/sdk` or your own `fetch` it is
   * called once, with all bytes, when the response begins. If it throws, that is printed: the generation goes on.
   */
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** How to generate without checks against the service's description. */
export interface UncheckedOptions extends GenerateOptions {
  /** The model and its form are not checked against the service's description. */
  readonly unchecked: true;
}

/** The form of a model that the service's description does not contain. */
export type UncheckedForm = Readonly<Record<string, string | number | boolean | Blob | readonly Blob[] | undefined>>;

/** How to create a task from its id alone. */
export interface TaskOptions {
  /**
   * How many results the task's form requested.
   * @default 1
   */
  readonly resultCount?: number | undefined;
}

/** What a store knows of the generations of a client that begins. */
export interface Recovery {
  /** Tasks that were created and whose end was not seen: wait for them. */
  readonly tasks: readonly AnyTask[];
  /** Tasks without a key that succeeded and have not been forgotten: their results may not have been fetched. */
  readonly finished: readonly AnyTask[];
  /** Generations to look for at the service and to settle with `media.resolve`. */
  readonly unknown: readonly UnknownGeneration[];
  /** Records that this version cannot read. Each blocks its own key. */
  readonly unreadable: readonly UnreadableRecord[];
}

/** The methods for one kind. */
export interface KindClient<K extends Kind> {
  /**
   * Creates one paid task of a model that is newer than this SDK. Its form is not checked against the service's description.
   *
   * @throws as for the other models; {@link InvalidRequestError} a form cannot hold a value, or it would be billed without its files
   *
   * @example
   * const task = await media.video.generate("vidmodelv9", { prompt, mood: "calm" }, { unchecked: true });
   */
  generate(model: string, form: UncheckedForm, options: UncheckedOptions): Promise<Task<K>>;
  /**
   * Creates one paid task and returns it. It is retried only if it provably was not sent, after HTTP 429, or after a status in
   * `resendGenerationAfter`.
   *
   * @throws {@link InvalidRequestError} a field is not valid; nothing was sent
   * @throws {@link InsufficientCreditsError} the balance does not cover it
   * @throws {@link ServiceError} the service rejected it
   * @throws {@link ConnectionError} the service was not reached and nothing was sent
   * @throws {@link StoreError} the store failed, and nothing was sent
   * @throws {@link OutcomeUnknownError} the response was lost: a task may exist and may have been billed. With an idempotency key,
   *   thrown each time until `resolve` settles it
   *
   * @example
   * const task = await media.video.generate("vidmodelv2", { prompt: "A fox runs through snow", duration: 5 });
   */
  generate<M extends Model<K>>(model: M, form: Form<M>, options?: GenerateOptions): Promise<Task<K>>;
  /**
   * Returns a task's record as it is now.
   *
   * @throws {@link ServiceError} the service rejected it
   * @throws {@link ConnectionError} there was no complete response; it is safe to retry
   */
  query(taskid: string, options?: QueryFields[K] & RequestOptions): Promise<Records[K]>;
  /**
   * Deletes tasks. What happens to unknown ids is not documented by the service.
   *
   * @throws {@link ServiceError} the service rejected it
   * @throws {@link ConnectionError} there was no complete response; it is safe to retry
   */
  delete(taskids: readonly string[], options?: DeleteFields[K] & RequestOptions): Promise<Deletions[K]>;
  /** Returns the task of an id, to check or wait for. */
  task(taskid: string, options?: TaskOptions): Task<K>;
}

/** A client of the Media Generation Service. */
export interface MediaGen {
  /** The methods for videos. */
  readonly video: KindClient<"video">;
  /** The methods for images. */
  readonly image: KindClient<"image">;
  /**
   * Creates one paid task of a model that is known only at run time, as `media.video.generate` and `media.image.generate` do.
   *
   * @throws as `media.video.generate` does; an unknown model is an {@link InvalidRequestError}
   *
   * @example
   * const task = await media.generate(job.model, job.form, { idempotencyKey: job.id });
   */
  generate<M extends string>(
    model: M,
    form: M extends Model ? Form<M> : Readonly<Record<string, unknown>>,
    options?: GenerateOptions,
  ): Promise<AnyTask>;
  /**
   * Returns the task of a saved `JSON.stringify(task)`, in this or another process.
   *
   * @throws {@link InvalidRequestError} it is no such task, or one of another service
   */
  task(saved: TaskJSON): AnyTask;
  /**
   * Returns what the store knows of generations at this service: tasks to resume, and generations whose outcome is unknown. Takes
   * up to 15 seconds if another process may have just ended.
   *
   * @throws {@link InvalidRequestError} the client has no store
   */
  recover(options?: CallOptions): Promise<Recovery>;
  /**
   * Settles a generation of unknown outcome with what you found at the service, and returns its task. The service is asked whether
   * the task exists. A resolution can be corrected by another one: a task that
   * another generation was given by hand is taken from it, whose outcome is unknown again.
   *
   * @throws {@link InvalidRequestError} the store has no such generation or knows its outcome, or the task is not its task
   */
  resolve(generationId: string, resolution: Exclude<Resolution, "notCreated">, options?: CallOptions): Promise<AnyTask>;
  /**
   * Settles a generation of unknown outcome of which you found no task: its key may generate again.
   *
   * @throws {@link InvalidRequestError} the store has no such generation or knows its outcome
   */
  resolve(generationId: string, resolution: "notCreated", options?: CallOptions): Promise<undefined>;
  /**
   * Returns the task of an id with what the store knows of it, such as its model and how many results it has; undefined if the
   * store does not know it. It reads the complete store.
   *
   * @throws {@link InvalidRequestError} the client has no store
   *
   * @example
   * const task = (await media.find("video-1")) ?? media.video.task("video-1");
   */
  find(taskid: string, options?: CallOptions): Promise<AnyTask | undefined>;
  /**
   * Returns a client with these options over those of this one; `headers` are added to its headers. The two share the store, the
   * connections and what limits them: `budget`, `maxTasksInFlight`, `maxGenerationsInFlight`, `maxQueriesInFlight` and the budget of
   * retries. A limit that you pass applies to the new client alone. Creating one is cheap enough for each request of a server. If users
   * have keys of their own, begin idempotency keys with the user: the store does not know whose they are.
   *
   * @throws {@link InvalidRequestError} an option is not valid, or `apiKey` is given and undefined
   *
   * @example
   * const ofUser = media.withOptions({ apiKey: "..." });
   */
  withOptions(options: MediaGenOptions): MediaGen;
  /** The origin of the base URL, which tasks carry. */
  readonly origin: string;
  /** The store of the options. Without one, `generate` takes no idempotency key. */
  readonly store: GenerationStore | undefined;
}
