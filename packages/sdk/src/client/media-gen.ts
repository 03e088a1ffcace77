import type { Form, Model } from "../form/model.ts";
import type { Kind } from "../spec/operation.ts";
import type { DeleteFields, Deletions, QueryFields, Records } from "../spec/types.gen.ts";
import type { Recovery } from "../store/ledger.ts";
import type { FoundTask, ResolveOptions } from "../store/resolution.ts";
import type { GenerationStore } from "../store/store.ts";
import type { AnyTask, CallOptions, RequestOptions, Task, TaskJSON } from "../task/task.ts";
import type { GenerateOptions } from "./options.ts";

/** Options of `generate` for a form that is not checked against the service's description. */
export interface UncheckedOptions extends GenerateOptions {
  /** Whether the model and its form are sent unchecked: always true here. */
  readonly unchecked: true;
}

/** The form of a model that the service's description does not contain. */
export type UncheckedForm = Readonly<
  Record<string, string | number | boolean | Blob | readonly Blob[] | undefined>
>;

/** Options of `task`, which creates a task from its id alone. */
export interface TaskOptions {
  /** The number of results that the task's form requested. @default 1 */
  readonly resultCount?: number | undefined;
}

/** The methods for one kind: videos or images. */
export interface KindClient<K extends Kind> {
  /**
   * Creates one paid task of a model that is newer than this SDK. Its form is not checked.
   *
   * @param form Fields as the service names them. `undefined` fields are not sent.
   * @param options At least `{ unchecked: true }`.
   * @returns The new task, as soon as the service has created it. Its results come later.
   * @throws An {@link InvalidRequestError} if a form cannot hold a value, or would lack its files;
   * nothing was sent
   * @throws The other errors of `generate` for models that the SDK knows
   * @example
   * const form = { prompt, mood: "calm" };
   * const task = await media.video.generate("vidmodelv9", form, { unchecked: true });
   */
  generate(model: string, form: UncheckedForm, options: UncheckedOptions): Promise<Task<K>>;
  /**
   * Creates one paid task and returns it. A request is retried only if it provably was not sent,
   * after HTTP 429, or after a status in `resendGenerationAfter`.
   *
   * @param form The fields of the model's form. All of them are checked before anything is sent.
   * @returns The new task, as soon as the service has created it. With an `idempotencyKey` that was
   *   used before, the task of that generation.
   * @throws An {@link InvalidRequestError} if a field or an option is not valid; nothing was sent
   * @throws An {@link InsufficientCreditsError} if the balance does not cover it
   * @throws A {@link ServiceError} if the service rejected it
   * @throws A {@link ConnectionError} if the service was not reached; nothing was sent
   * @throws A {@link StoreError} if the store failed; nothing was sent
   * @throws An {@link OutcomeUnknownError} if the response was lost: a task may exist and may have
   *   been billed. With an idempotency key, each call throws it until you resolve the generation
   * @throws The error of `beforeGenerate` or the signal's reason, before anything was sent
   * @example
   * const task = await media.video.generate("vidmodelv2", {
   *   prompt: "A fox runs through snow",
   *   duration: 5,
   * });
   */
  generate<M extends Model<K>>(
    model: M,
    form: Form<M>,
    options?: GenerateOptions,
  ): Promise<Task<K>>;
  /**
   * Queries a task's record once, without reading its state. `task.check()` reads the state too.
   *
   * @returns The record as it is now, with the URLs of the results that are ready.
   * @throws An {@link InvalidRequestError} if an option is not valid; nothing was sent
   * @throws A {@link ServiceError} if the service rejected the query
   * @throws A {@link ConnectionError} if there was no complete response; it is safe to retry
   * @example const { url } = await media.video.query("video-1");
   */
  query(taskid: string, options?: QueryFields[K] & RequestOptions): Promise<Records[K]>;
  /**
   * Deletes tasks. What happens to unknown ids is not documented by the service.
   *
   * @param taskids The ids of the tasks.
   * @returns The response of the service.
   * @throws The errors of `query`
   * @example await media.image.delete(["image-1", "image-2"]);
   */
  delete(
    taskids: readonly string[],
    options?: DeleteFields[K] & RequestOptions,
  ): Promise<Deletions[K]>;
  /**
   * Creates the task of an id, to check or to wait for. Nothing is sent.
   *
   * @param taskid The id of a task of this kind at the client's service.
   * @returns The task. Its `model` and `createdAt` are undefined.
   * @throws An {@link InvalidRequestError} if the id or `resultCount` is not valid
   * @example const record = await media.image.task("image-1", { resultCount: 4 }).wait();
   */
  task(taskid: string, options?: TaskOptions): Task<K>;
}

/** A client of the Media Generation Service. */
export interface MediaGen {
  /** The methods for videos. */
  readonly video: KindClient<"video">;
  /** The methods for images. */
  readonly image: KindClient<"image">;
  /**
   * Creates one paid task, like `media.video.generate`, of a model that is known only at run time.
   *
   * @param form The fields of the model's form. The compiler checks them if the model is a literal.
   * @returns The new task, as soon as the service has created it.
   * @throws An {@link InvalidRequestError} if there is no such model, or a field or option is not
   * valid; nothing was sent
   * @throws The other errors of `media.video.generate`
   * @example const task = await media.generate(job.model, job.form, { idempotencyKey: job.id });
   */
  generate<M extends string>(
    model: M,
    form: M extends Model ? Form<M> : Readonly<Record<string, unknown>>,
    options?: GenerateOptions,
  ): Promise<AnyTask>;
  /**
   * Restores a task from its saved JSON, in this or another process. Nothing is sent.
   *
   * @param saved The parsed JSON of `JSON.stringify(task)`.
   * @returns The task, to check or to wait for.
   * @throws An {@link InvalidRequestError} if it is not a saved task, or is a task of another
   * service
   * @example const record = await media.task(JSON.parse(text)).wait();
   */
  task(saved: TaskJSON): AnyTask;
  /**
   * Returns what the store knows about generations at this service. Takes up to 15 s if another
   * process may have just ended.
   *
   * @returns The tasks to resume, and the generations whose outcome is unknown.
   * @throws An {@link InvalidRequestError} if the client has no store
   * @throws The error of the store, if it cannot be read
   * @example
   * const { tasks, unknown } = await media.recover();
   * for (const { generationId, reason } of unknown) console.error(generationId, reason);
   * for await (const outcome of waitEach(tasks)) console.log(outcome.task.taskid, outcome.ok);
   */
  recover(options?: CallOptions): Promise<Recovery>;
  /**
   * Resolves a generation of unknown outcome to the task that you found at the service, which is
   * queried. Another call can correct it. If that takes the task of another generation, the outcome
   * of that generation is unknown again. If the key was used again since the attempt that you name,
   * the task is kept next to the later one, and the event `lateTask` is emitted.
   *
   * @param generationId The id of the generation's entry, as in `OutcomeUnknownError` or `recover`.
   * @param resolution The task that you found.
   * @returns The task, to check or to wait for.
   * @throws An {@link InvalidRequestError} if the store has no such generation or knows its
   * outcome, or its task is another
   * @throws A {@link ServiceError} or a {@link ConnectionError} if the query for the task failed
   * @throws A {@link StoreError} if another process has changed the entry
   * @example
   * const [lost] = (await media.recover()).unknown;
   * if (lost) await (await media.resolve(lost.generationId, { taskid: "video-1" })).wait();
   */
  resolve(generationId: string, resolution: FoundTask, options?: ResolveOptions): Promise<AnyTask>;
  /**
   * Records that an attempt created no task: its key may then generate again, which is billed. If
   * the generation has a task, the service is queried twice, 10 s apart, and must not know it.
   *
   * @param generationId The id of the generation's entry, as in `OutcomeUnknownError` or `recover`.
   * @param resolution `"notCreated"`.
   * @param options The attempt that you looked for, and a signal.
   * @throws An {@link InvalidRequestError} if it is not the last attempt, if the service may know
   * its task, or if the store has no such generation or knows its outcome
   * @throws A {@link ServiceError} or a {@link ConnectionError} if a query for the task failed
   * @throws A {@link StoreError} if another process has changed the entry
   * @example
   * for (const { generationId, attempt } of (await media.recover()).unknown)
   *   await media.resolve(generationId, "notCreated", { attempt });
   */
  resolve(
    generationId: string,
    resolution: "notCreated",
    options: ResolveOptions & { readonly attempt: string },
  ): Promise<undefined>;
  /** The origin of the base URL. Every task carries it. */
  readonly origin: string;
  /** The store from the options. Without one, `generate` accepts no idempotency key. */
  readonly store: GenerationStore | undefined;
}
