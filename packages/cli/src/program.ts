import { readFileSync } from "node:fs";
import type { Kind, ModelInfo } from "@mediagen/sdk";
import { Argument, Command, Option } from "commander";
import type { Descriptions } from "./descriptions.ts";
import { exitCodesText } from "./exit-codes.ts";
import { addFieldFlags, argumentField } from "./field-flags.ts";
import {
  addCommonOptions,
  addConnectOptions,
  addResultCountOption,
  addResultOptions,
  addWaitOptions,
  collect,
  jsonOption,
  readPath,
  readPositive,
} from "./options.ts";
import { shells } from "./shells.ts";

/** Creates the command line. Its models and form flags are made from the service's description. */
export function createProgram(models: readonly ModelInfo[], descriptions: Descriptions): Command {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
  const program = new Command("mediagen")
    .description("Generate videos and images with the Media Generation Service")
    .version(version)
    .exitOverride()
    // `run` prints errors, in two lines.
    .configureOutput({ outputError: () => undefined })
    .configureHelp({ showGlobalOptions: false, helpWidth: Math.min(process.stdout.columns || 100, 120) })
    .addHelpText(
      "after",
      `\nSet MEDIAGEN_BASE_URL to the URL of the service and MEDIAGEN_API_KEY to your API key.\n\n${exitCodesText}`,
    );
  const kinds = [...new Set(models.map((one) => one.kind))];
  for (const kind of kinds) addGenerate(program, kind, models, descriptions);
  addTask(program, kinds, descriptions);
  addBatch(program);
  addRecover(program);
  program
    .command("models")
    .description("list the models, or the fields of one with their bounds and defaults")
    .addArgument(new Argument("[model]").choices(models.map(({ model }) => model)))
    .addOption(jsonOption())
    .action(async (model: string | undefined, options: object, command: Command) =>
      (await import("./models.ts")).showModels(model, options, command, models, descriptions),
    );
  program
    .command("emulator")
    .description("emulate the service on this machine, free of charge: serve it, or run a command with it")
    .usage("[options] [exec -- COMMAND]")
    .helpOption(false)
    .allowUnknownOption()
    .argument("[args...]")
    .action(async () => (await import("./emulator.ts")).runEmulator());
  program
    .command("completion")
    .description("print the completion script for a shell")
    .addArgument(new Argument("<shell>").choices(Object.keys(shells)))
    .action((shell: string) => void process.stdout.write(`${shells[shell]?.join("\n")}\n`));
  return program;
}

function addGenerate(program: Command, kind: Kind, models: readonly ModelInfo[], descriptions: Descriptions): void {
  const names = models.filter((one) => one.kind === kind).map(({ model }) => model);
  const command = program
    .command(kind)
    .summary(`generate ${kind === "video" ? "a video" : "images"} from a prompt; this is billed`)
    .description("Creates a task, waits for it and downloads its results. It is billed and cannot be undone.")
    .argument(`[${argumentField}]`, `the prompt; "-" reads it from stdin`)
    .addOption(new Option("-m, --model <model>", "the model").choices(names).makeOptionMandatory());
  addResultOptions(command);
  command
    .option("--no-wait", "print the task once it is created, and do not wait for it")
    .option("--dry-run", "print the request and send nothing")
    .option(
      "--idempotency-key <key>",
      "your own key: with the same key you get the same task, billed once (needs a store)",
    )
    .option("--extra-field <name=value>", "a field that is not in the service's description; sent unchecked", collect);
  addWaitOptions(command);
  addCommonOptions(command);
  command.optionsGroup("Fields of the form, from the service's description:");
  addFieldFlags(command, kind, models, descriptions);
  command.addHelpText("after", `\n\`mediagen models MODEL\` lists the fields of one model.`);
  command.action(async (prompt: string | undefined, options, self: Command) =>
    (await import("./generate.ts")).runGenerate(prompt, options, self, models),
  );
}

function addTask(program: Command, kinds: readonly Kind[], descriptions: Descriptions): void {
  const task = program
    .command("task")
    .description("show tasks, wait for them, download their results or delete them")
    .helpCommand(false);
  const add = (name: string, description: string) => {
    const command = task
      .command(name)
      .description(description)
      .argument("<id...>", "such as video:ID, or the id alone with --kind or a store that has it");
    command.addOption(new Option("--kind <kind>", "the kind of ids that do not name theirs").choices(kinds));
    return command;
  };
  const show = add("show", "print each task's state, status and result URLs");
  addResultCountOption(show);
  const wait = add("wait", "wait for the tasks and print their result URLs");
  addResultCountOption(wait);
  addWaitOptions(wait);
  const download = add("download", "wait for the tasks and download their results");
  addResultOptions(download);
  addResultCountOption(download);
  addWaitOptions(download);
  const deletion = add(
    "delete",
    "delete tasks; whether that stops or refunds a running task is not documented by the service",
  );
  for (const { field, description } of descriptions.deletionFields) deletion.option(`--${field} <text>`, description);
  for (const command of [show, wait, download, deletion]) addCommonOptions(command);
  show.action(async (ids: string[], options) => (await import("./tasks.ts")).showTasks(ids, options));
  wait.action(async (ids: string[], options) => (await import("./tasks.ts")).finishTasks(ids, options, undefined));
  download.action(async (ids: string[], options) =>
    (await import("./tasks.ts")).finishTasks(ids, options, options.output ?? "."),
  );
  deletion.action(async (ids: string[], options, self: Command) =>
    (await import("./tasks.ts")).deleteTasks(ids, options, readDeletionFields(self, descriptions)),
  );
}

function readDeletionFields(command: Command, descriptions: Descriptions): Readonly<Record<string, unknown>> {
  const given: Readonly<Record<string, unknown>> = command.opts();
  return Object.fromEntries(
    descriptions.deletionFields.map(({ field }) => [field, given[field]]).filter(([, value]) => value !== undefined),
  );
}

function addBatch(program: Command): void {
  const command = program
    .command("batch")
    .summary("generate every line of a file; this is billed")
    .description(
      "Generates every line of a file into a directory. The file is JSON lines, or CSV with a header. A line has a model, the fields of its form and, optionally, an id. The same command again continues the batch; nothing is billed twice.",
    )
    .argument("<file>", "a .jsonl, .ndjson, .csv or .tsv file; paths in it are relative to it")
    .requiredOption("-o, --output <path>", "the directory for the results and for the state of the batch", readPath)
    .option("-y, --yes", "do not ask before anything is billed")
    .addOption(new Option("--concurrency <n>", "how many lines run at once (default: 8)").argParser(readPositive))
    .addOption(
      new Option("--rate <n>", "how many generations are sent per minute at most (default: no limit)").argParser(
        readPositive,
      ),
    )
    .option("--dry-run", "check every line, print what would be billed, and send nothing")
    .addOption(
      new Option("--limit <n>", "create at most so many tasks in this run (default: no limit)").argParser(readPositive),
    )
    .option("--only <id>", "run only this line; repeat it for several", collect)
    .option(
      "--retry-failed",
      "generate a second task for each line whose task has failed; this is billed. No line gets a third one",
    );
  addWaitOptions(command);
  addConnectOptions(command);
  command.action(async (file: string, options) => (await import("./batch.ts")).batch(file, options));
}

function addRecover(program: Command): void {
  const command = program
    .command("recover")
    .description("list what the store has left: tasks to resume, and generations whose outcome is unknown");
  addResultOptions(command, "wait for the tasks that are left and download their results: a file or a directory");
  command
    .option("--resolve <generation>", "record the outcome of an unknown generation, as you found it at the service:")
    .option("--taskid <id>", "  the task that it created; the service must know it")
    .option("--unverified", "  record the task without checking it at the service")
    .option("--not-created", "  it created no task; its idempotency key may be sent again")
    .option("--forget", "remove generations that have ended and have no idempotency key from the store");
  addWaitOptions(command);
  addCommonOptions(command);
  command.action(async (options) => (await import("./recover.ts")).recover(options));
}
