import type { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { fieldsOf, type Kind, type ModelInfo } from "@mediagen/sdk";
import { fileFrom, type AnyTask, type MediaGen, type SourceFile } from "@mediagen/sdk/node";
import type { Command } from "commander";
import { connect, connectFlags } from "./connect.ts";
import { describeRequest, requestText } from "./dry-run.ts";
import { CommandError, explain } from "./explain.ts";
import { exitCodes } from "./exit-codes.ts";
import { argumentField, fieldFlagsOf, readField } from "./field-flags.ts";
import { finish, nameOf, type FinishOptions } from "./finish.ts";
import { listenForInterrupt } from "./interrupt.ts";
import { createOutput } from "./output.ts";
import { createProgress } from "./progress.ts";
import { checkTarget } from "./target.ts";

interface GenerateOptions extends FinishOptions {
  readonly model: string;
  readonly wait: boolean;
  readonly dryRun?: true;
  readonly once?: string;
  readonly extraField?: readonly string[];
}

/** A generation as the compiler cannot know it: models and forms are read from the service's description here. */
interface AnyKindClient {
  generate(model: string, form: object, options: object): Promise<AnyTask>;
}

/** `mediagen video` and `mediagen image`. */
export async function runGenerate(
  kind: Kind,
  prompt: string | undefined,
  options: GenerateOptions,
  command: Command,
  models: readonly ModelInfo[],
): Promise<void> {
  const { model, once } = options;
  const interrupt = listenForInterrupt();
  const { signal } = interrupt;
  const progress = createProgress(options);
  const output = createOutput(options);
  const target = options.output ?? ".";
  const circumstances = {
    generates: true,
    command,
    resolve: (id: string) =>
      ["mediagen recover --resolve", id, "--taskid TASKID (or --not-created)", ...connectFlags(options)].join(" "),
  };
  try {
    const form = await readForm(prompt, model, command, models, (): Readable => {
      progress.now("reading stdin");
      return stdin(signal);
    });
    const extraFields = readExtraFields(options.extraField ?? []);
    const generateOn = (media: MediaGen, more: object) =>
      (media[kind] as object as AnyKindClient).generate(model, form, { extraFields, signal, ...more });
    if (options.dryRun) {
      const request = await describeRequest((media) => generateOn(media, {}), options);
      output.line(requestText(request));
      return output.document(request);
    }
    if (options.wait) await checkTarget(target, options);
    const beforeGenerate = () => {
      progress.now(`sending the form to ${model}`);
      interrupt.hold(() =>
        progress.warn(
          "mediagen: the form is on its way; waiting for its answer, so that the task is not lost. Once more gives up on it.",
        ),
      );
    };
    const { media } = await connect(options, { signal, progress, beforeGenerate });
    signal.throwIfAborted();
    const task = await generateOn(media, { once }).finally(interrupt.release);
    progress.end();
    progress.note(`the task is ${nameOf(task)}`);
    if (!options.wait) {
      output.line(nameOf(task));
      return output.document({ task });
    }
    const { finished, error } = await finish([task], options, { media, signal, progress, output, target });
    output.document(finished[0]);
    process.exitCode = error?.exitCode ?? exitCodes.done;
  } catch (error) {
    throw explain(error, circumstances);
  } finally {
    progress.end();
  }
}

async function readForm(
  prompt: string | undefined,
  model: string,
  command: Command,
  models: readonly ModelInfo[],
  openStdin: () => Readable,
): Promise<Record<string, unknown>> {
  const given: Readonly<Record<string, unknown>> = command.opts();
  const info = models.find((one) => one.model === model);
  const fields = new Map(info && fieldsOf(info).map((field) => [field.field, field]));
  const form: Record<string, unknown> = {};
  if (prompt !== undefined) form[argumentField] = prompt === "-" ? (await text(openStdin())).trimEnd() : prompt;
  const values = new Map<string, unknown>();
  for (const { field, option } of fieldFlagsOf(command)) {
    const value = given[option.attributeName()];
    const before = values.get(field);
    // A field may have two flags.
    if (value !== undefined)
      values.set(field, Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value);
  }
  for (const [field, value] of values) form[field] = await readField(value, fields.get(field), readSource);
  return form;

  async function readSource(path: string): Promise<SourceFile> {
    return fileFrom(path === "-" ? new Uint8Array(await buffer(openStdin())) : path);
  }
}

/** Standard input, which ends in the signal's reason when it aborts. */
function stdin(signal: AbortSignal): Readable {
  signal.addEventListener("abort", () => process.stdin.destroy(signal.reason), { once: true });
  return process.stdin;
}

function readExtraFields(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((one) => {
      const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(one) ?? [];
      if (name === "")
        throw new CommandError(
          `--extra-field ${one}: there is no name and value`,
          "Nothing was sent. Write --extra-field name=value.",
          exitCodes.usage,
        );
      return [name, value];
    }),
  );
}
