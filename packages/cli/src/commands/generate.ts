import type { Readable } from "node:stream";
import type { AnyTask, GenerateOptions, MediaGen } from "@mediagen/sdk/node";
import { openContext, type CommandContext } from "../client/connect.ts";
import { CommandError, usageError } from "../errors/command-error.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { explain, type Unresolved } from "../errors/explain.ts";
import type { Options } from "../flags/flags.ts";
import { checkTarget } from "../files/target.ts";
import { describeRequest, requestText } from "../form/dry-run.ts";
import { readExtraFields, readForm } from "../form/read-form.ts";
import { explainUnsaved } from "../tasks/explain-unsaved.ts";
import { finish } from "../tasks/finish.ts";
import { lookForTask, resolveCommands, resumeCommand } from "../tasks/resume-commands.ts";
import { nameOf } from "../tasks/task-name.ts";
import type { Command, Parsed } from "../usage/command.ts";
import { withCommands } from "../terminal/shell-commands.ts";
import { isClosedByReader, stdoutFailed, stdoutFailure } from "../terminal/stdout-failure.ts";

/** A function that generates on a client what the command line describes. */
type Generate = (media: MediaGen, more?: GenerateOptions) => Promise<AnyTask>;

/** `mediagen video` and `mediagen image`. */
export async function run(parsed: Parsed, { flags }: Command): Promise<void> {
  const { options } = parsed;
  const context = openContext(options);
  const { signal, progress, output } = context;
  try {
    const { model = "", extraField = [] } = options;
    let isRead = false;
    const form = await readForm(parsed, flags, {
      openStdin() {
        if (isRead) throw usageError("stdin can be read once", "Nothing was sent. Write - once.");
        isRead = true;
        progress.now("reading stdin");
        return stdin(signal);
      },
    });
    const extraFields = readExtraFields(extraField);
    const generate: Generate = (media, more) =>
      media.generate(model, form, { extraFields, signal, ...more });
    if (options.dryRun) {
      const request = await describeRequest(generate, options);
      output.line(requestText(request));
      output.document(request);
    } else await generateAndFinish(generate, options, context);
  } catch (error) {
    const resolve = (generation: Unresolved) =>
      withCommands(lookForTask, ...resolveCommands(generation, options));
    throw explain(error, { generates: true, flags, resolve });
  } finally {
    progress.end();
  }
}

async function generateAndFinish(
  generate: Generate,
  options: Options,
  context: CommandContext,
): Promise<void> {
  const { interrupt, signal, progress, output } = context;
  const { model, idempotencyKey, noStore, noWait, output: target = "." } = options;
  const stored = idempotencyKey === undefined ? options.store && "--store" : "--idempotency-key";
  if (noStore && stored)
    throw usageError(`${stored} needs a store`, "Nothing was sent. Leave out --no-store.");
  const media = await context.connect(async (_, { kind, resultCount: count }) => {
    // Not before: the task of a key may exist, and its results be there.
    if (!noWait) await checkTarget(target, { ...options, kind, count });
    progress.now(`sending the form to ${model}`);
    interrupt.hold(() =>
      progress.warn(
        "mediagen: the form is being sent; waiting for the response, so that the task is not lost. Press Ctrl-C again to give up.",
      ),
    );
  });
  signal.throwIfAborted();
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  const task = await generate(media, key).finally(interrupt.release);
  try {
    progress.end();
    progress.note(`the task is ${nameOf(task)}`);
    if (noWait) {
      output.line(nameOf(task));
      output.document({ task });
      return await checkPrinted(task, options);
    }
    const { finished, error } = await finish({ media, options, context, target }, [task]);
    output.document(finished[0]);
    process.exitCode = error?.exitCode ?? exitCodes.done;
    if (!error) await checkPrinted(task, options);
  } catch (error) {
    // From here on, no error may say that nothing was sent.
    const explained = await explainUnsaved(error, task, options, target);
    output.document({ task, error: explained });
    throw explained;
  }
}

/** Rejects if stdout did not take what was printed: stderr is the last place for the task's id. */
async function checkPrinted(task: AnyTask, options: Options): Promise<void> {
  const failure = await stdoutFailure();
  if (!failure || (!options.noWait && isClosedByReader(failure))) return;
  const advice = withCommands(
    "It exists, and nothing is billed again. Get its results with:",
    resumeCommand([task], options, options.output ?? "."),
  );
  throw new CommandError(`${nameOf(task)}: ${stdoutFailed(failure)}`, {
    advice,
    exitCode: exitCodes.unsaved,
    cause: failure,
    billed: "yes",
  });
}

/** Returns standard input, which ends with the signal's reason when the signal aborts. */
function stdin(signal: AbortSignal): Readable {
  signal.addEventListener("abort", () => process.stdin.destroy(signal.reason), { once: true });
  return process.stdin;
}
