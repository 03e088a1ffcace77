import {
  InvalidRequestError,
  type MediaGen,
  type Recovery,
  ServiceError,
} from "@mediagen/sdk/node";
import { disk } from "@mediagen/sdk/kit";
import { openContext, type CommandContext } from "../client/connect.ts";
import { CommandError, usageError } from "../errors/command-error.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { explain, issuesText } from "../errors/explain.ts";
import { flagsOf, type Options } from "../flags/flags.ts";
import { checkStoreDirectory } from "../files/check-store-directory.ts";
import { checkTarget } from "../files/target.ts";
import { finish, type FinishHost } from "../tasks/finish.ts";
import { flagsToRepeat, lookForTask, resolveCommands } from "../tasks/resume-commands.ts";
import {
  type CommandEntry,
  forgetOld,
  isUnsaved,
  readEntries,
  savedPaths,
} from "../tasks/store-entries.ts";
import { nameOf, readTaskName } from "../tasks/task-name.ts";
import type { Parsed } from "../usage/command.ts";
import type { Progress } from "../terminal/progress.ts";
import { commandLine } from "../terminal/shell-commands.ts";

/**
 * The generations that are left, and the origins of other services that have some left in the
 * store.
 */
interface Left extends Recovery {
  readonly elsewhere: readonly string[];
}

/**
 * `mediagen recover`: lists the generations that are left, downloads their results, or resolves an
 * unknown outcome.
 */
export async function run({ options }: Parsed): Promise<void> {
  const { resolve: generation, taskid, unverified, notCreated, attempt } = options;
  if (generation === undefined && (taskid ?? unverified ?? notCreated ?? attempt) !== undefined)
    throw usageError(
      "an outcome needs --resolve",
      "Nothing was recorded. mediagen recover lists the unknown generations.",
    );
  const context = openContext(options);
  if (options.store !== undefined) await checkStoreDirectory(options.store);
  const media = await context.connect();
  if (generation !== undefined) return resolve(generation, options, context, media);
  const left = await readLeft(media, context.signal);
  const { tasks, finished, unknown, unreadable, elsewhere } = left;
  if (tasks.length + finished.length + unknown.length + unreadable.length === 0)
    context.progress.hint(
      `nothing is left to do in the store ${options.store ?? disk.stateDirectory()}`,
    );
  const error =
    options.output === undefined
      ? undefined
      : await downloadLeft(left, { media, options, context, target: options.output });
  if (options.output === undefined) list(left, options, context);
  for (const origin of elsewhere)
    context.progress.warn(
      `mediagen: the store also has generations left at ${origin}. List them with:`,
      commandLine("recover", ...flagsToRepeat({ ...options, baseUrl: origin })),
    );
  // An entry that cannot be read may stand for a paid task as well.
  const isUnknown = unknown.length + unreadable.length > 0 && !context.signal.aborted;
  process.exitCode = isUnknown ? exitCodes.unknown : (error?.exitCode ?? exitCodes.done);
  if (media.store && !error) await forgetOld(media.store, options.store);
}

/** Reads the generations that are left. A task whose results were saved is not. */
async function readLeft(media: MediaGen, signal: AbortSignal): Promise<Left> {
  const recovery = await media.recover({ signal });
  const { entries } = await readEntries(media.store);
  const saved = new Set(entries.filter(savedPaths).map(({ id }) => id));
  const isLeft = (entry: CommandEntry) => entry.state !== "ended" || isUnsaved(entry);
  const origins = new Set(entries.filter(isLeft).map(({ origin }) => origin));
  origins.delete(media.origin);
  const finished = recovery.finished.filter(({ generationId = "" }) => !saved.has(generationId));
  return { ...recovery, finished, elsewhere: [...origins] };
}

async function resolve(
  generationId: string,
  { taskid, unverified, notCreated, attempt }: Options,
  { signal, output, progress }: CommandContext,
  media: MediaGen,
): Promise<void> {
  if ((taskid === undefined) === (notCreated === undefined) || (unverified && notCreated)) {
    throw usageError(
      "--resolve needs the outcome of the generation",
      "Add --taskid ID of the task that you found, or --not-created.",
    );
  }
  const entry = await media.store?.get(generationId);
  if (!entry) {
    const advice = "Run mediagen recover to list the generations of unknown outcome.";
    throw usageError(`--resolve ${generationId}: the store has no such generation`, advice);
  }
  const settle = <R>(settling: Promise<R>) =>
    settling.catch((error: unknown) => {
      signal.throwIfAborted();
      throw explainResolve(error);
    });
  if (taskid === undefined) {
    if (attempt === undefined) {
      const advice =
        "Add --attempt as mediagen recover prints it. If the generation was sent again since you looked, look again.";
      throw usageError("--not-created needs the attempt that you looked for", advice);
    }
    await settle(media.resolve(generationId, "notCreated", { attempt, signal }));
    progress.note("recorded that no task was created; generating it again is billed");
    return output.document({ generationId });
  }
  const [kind, id] = readTaskName(taskid);
  if (kind !== undefined && kind !== entry.kind) {
    const advice = `Nothing was recorded. The generation is of the model ${entry.model}: pass ${entry.kind}:ID.`;
    throw usageError(`--taskid ${taskid}: the generation created no task of this kind`, advice);
  }
  const found = { taskid: id, unverified };
  const task = await settle(media.resolve(generationId, found, { attempt, signal }));
  output.line(nameOf(task));
  output.document({ generationId, task });
}

/** Explains why a resolution was not recorded. */
function explainResolve(error: unknown): CommandError {
  const flags = [...flagsOf("recover"), { name: "resolve", field: "generationId", text: "" }];
  if (error instanceof ServiceError) {
    const { message, exitCode } = explain(error, { flags });
    const outcome = "Nothing was recorded, and it is still unknown whether the task exists.";
    return new CommandError(message, {
      advice: `${outcome} ${error.advice}`,
      exitCode,
      cause: error,
    });
  }
  if (!(error instanceof InvalidRequestError)) return explain(error, { flags });
  return usageError(issuesText(error.issues, flags), "Nothing was recorded.", error);
}

function list(recovery: Left, options: Options, { output, progress }: CommandContext): void {
  const { tasks, finished, unknown, unreadable } = recovery;
  const rows = [
    ...tasks.map((task) => ["resume", nameOf(task), task.model ?? ""]),
    ...finished.map((task) => ["finished", nameOf(task), task.model ?? ""]),
    ...unknown.map(({ generationId, attempt, model, at, reason }) => [
      "unknown",
      generationId,
      model,
      isoText(at),
      reason,
      attempt,
    ]),
    ...unreadable.map(({ id, unreadable: why }) => ["unreadable", id, why]),
  ];
  for (const row of rows) output.line(row.join("\t"));
  output.document({
    tasks,
    finished,
    unresolved: unknown,
    unreadable,
    elsewhere: recovery.elsewhere,
  });
  if (tasks.length + finished.length > 0)
    progress.hint(
      "download the results:",
      commandLine("recover", "-o", ".", ...flagsToRepeat(options)),
    );
  warnUnresolved(recovery, options, progress);
}

/** Warns about unknown outcomes and unreadable entries, which no download resolves. */
function warnUnresolved(
  { unknown, unreadable }: Recovery,
  options: Options,
  progress: Progress,
): void {
  for (const generation of unknown) {
    const { generationId, model, at, idempotencyKey, reason } = generation;
    const key = idempotencyKey === undefined ? "" : `, key ${JSON.stringify(idempotencyKey)}`;
    const about = `${model}, ${isoText(at)}${key}`;
    progress.warn(
      `mediagen: the generation ${generationId} (${about}) is of unknown outcome: ${reason}. ${lookForTask}`,
      ...resolveCommands(generation, options),
    );
  }
  if (unreadable.length > 0)
    progress.warn(
      "mediagen: unreadable entries are damaged, or a newer version of mediagen wrote them; each may be a paid task",
    );
}

function isoText(at: number): string {
  return new Date(at).toISOString();
}

/**
 * Waits for the tasks that are left and downloads their results. Resolves to the printed error, if
 * some are missing.
 */
async function downloadLeft(
  recovery: Left,
  host: FinishHost & { readonly target: string },
): Promise<CommandError | undefined> {
  const { options, context, target } = host;
  const { tasks, finished: ended, unknown, unreadable, elsewhere } = recovery;
  // No name proves that a file is a task's result: `download` compares the bytes and replaces
  // nothing.
  const left = [...tasks, ...ended];
  await checkTarget(target, { ...options, overwrite: true, several: left.length > 1 });
  const { finished, error } = await finish(host, left);
  warnUnresolved(recovery, options, context.progress);
  context.output.document({ outcomes: finished, unresolved: unknown, unreadable, elsewhere });
  return error;
}
