import { connect, connectFlags } from "./connect.ts";
import { CommandError } from "./explain.ts";
import { exitCodes } from "./exit-codes.ts";
import { finish, nameOf, type FinishOptions } from "./finish.ts";
import { listenForInterrupt } from "./interrupt.ts";
import { createOutput } from "./output.ts";
import { createProgress } from "./progress.ts";
import { checkTarget, namesIn } from "./target.ts";

interface RecoverOptions extends FinishOptions {
  readonly resolve?: string;
  readonly taskid?: string;
  readonly notCreated?: true;
  readonly compact?: true;
}

/** `mediagen recover`: what the journal knows to be left, and what to do with it. */
export async function recover(options: RecoverOptions): Promise<void> {
  const { signal } = listenForInterrupt();
  const output = createOutput(options);
  const progress = createProgress(options);
  const { media, journal } = await connect(options, { signal, progress });
  if (!journal)
    throw new CommandError(
      "there is no journal to recover from",
      "Give --journal FILE, or set MEDIAGEN_JOURNAL.",
      exitCodes.usage,
    );
  if (options.resolve !== undefined) {
    const { taskid, notCreated } = options;
    if ((taskid === undefined) === (notCreated === undefined)) {
      throw new CommandError(
        "--resolve needs what became of the generation",
        "Add --taskid ID of the task that you found, or --not-created.",
        exitCodes.usage,
      );
    }
    const task =
      taskid === undefined
        ? await media.resolve(options.resolve, "not created")
        : await media.resolve(options.resolve, { taskid });
    if (task) output.line(nameOf(task));
    return output.document({ task: task ?? null });
  }
  const { tasks, finished: ended, unknown } = await media.recover({ signal });
  if (unknown.length > 0) process.exitCode = exitCodes.unknown;
  if (options.output === undefined) {
    for (const task of tasks) output.line(["resume", nameOf(task), task.model ?? ""].join("\t"));
    for (const task of ended) output.line(["finished", nameOf(task), task.model ?? ""].join("\t"));
    for (const { id, model, at, why } of unknown)
      output.line(["unknown", id, model, new Date(at).toISOString(), why].join("\t"));
    output.document({ tasks, finished: ended, unknown });
    const flags = connectFlags(options).join(" ");
    if (tasks.length + ended.length > 0) progress.note(`mediagen recover -o FOLDER ${flags} fetches the results`);
    if (unknown.length > 0)
      progress.note(
        `look at the service, then: mediagen recover --resolve ID --taskid TASKID (or --not-created) ${flags}`,
      );
  } else {
    // Files are named by their task: what is there need not be fetched again.
    const there = options.overwrite ? [] : await namesIn(options.output);
    const left = [...tasks, ...ended.filter(({ taskid }) => !there.some((name) => name.startsWith(`${taskid}-`)))];
    await checkTarget(options.output, { ...options, several: left.length > 1 });
    const { finished, error } = await finish(left, options, {
      media,
      signal,
      progress,
      output,
      target: options.output,
    });
    output.document({ finished, unknown });
    // What could not be fetched must not be forgotten.
    if (error) return void (process.exitCode = error.exitCode);
  }
  if (options.compact) await journal.compact();
}
