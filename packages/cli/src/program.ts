import { readFileSync } from "node:fs";
import type { Field, Kind, ModelInfo } from "@mediagen/sdk";
import { type Schemas, service } from "@mediagen/sdk/kit";
import { Argument, Command, Option } from "commander";
import { printCompletion, shells } from "./commands/completion.ts";
import { usageError } from "./errors/command-error.ts";
import { exitCodesText } from "./errors/exit-codes.ts";
import { examplesOf } from "./flags/examples.ts";
import { addFieldFlags, argumentField } from "./flags/field-flags.ts";
import {
  addConnectOptions,
  addPrintOptions,
  addResultCountOption,
  addResultOptions,
  addStoreOption,
  addWaitOptions,
  baseUrlOption,
  collect,
  jsonOption,
  readPath,
  readPositive,
} from "./flags/shared-options.ts";

/** Creates the command line. Its models and form flags are made from the service's description. */
export function createProgram(models: readonly ModelInfo[], schemas: Schemas): Command {
  const program = createRoot();
  const examples = examplesOf(models);
  describe(program, "Generate videos and images with the Media Generation Service", examples["mediagen"]);
  const add = (name: string, text: string, parent = program) =>
    describe(parent.command(name), text, examples[name] ?? examples[`${parent.name()} ${name}`]);
  const kinds = [...new Set(models.map((one) => one.kind))];
  for (const kind of kinds) {
    const what = kind === "video" ? "a video" : "images";
    addGenerate(add(kind, `Generate ${what} from a prompt (billed)`), kind, models, schemas);
  }
  const task = program.command("task").description("List, show, wait for, download or delete tasks");
  addTaskCommands((name, text) => add(name, text, task), schemas);
  addBatch(add("batch", "Generate every line of a file (billed)"));
  addRecover(add("recover", "List or download tasks that a crash has left, and resolve unknown outcomes"));
  add("models", "List the models, or the fields of one with their bounds and defaults")
    .addArgument(new Argument("[model]").choices(models.map(({ model }) => model)))
    .addOption(jsonOption())
    .action(async (model: string | undefined, options: object, command: Command) =>
      (await import("./commands/models.ts")).showModels(model, options, command, models, schemas),
    );
  passArguments(add("emulator", "Emulate the service on this machine, free of charge"))
    .usage("[options] [exec -- COMMAND]")
    .action(async () => (await import("./commands/emulator.ts")).runEmulator());
  passArguments(add("mcp", "Serve as tools of a language model (needs the package @mediagen/mcp)"))
    .usage("--output DIR [options]")
    .action(async () => (await import("./commands/mcp.ts")).runMcp());
  add("completion", "Print the completion script for a shell")
    .addArgument(new Argument("<shell>").choices(Object.keys(shells)))
    .action((shell: string) => printCompletion(shell));
  return program;
}

/** Creates the command that has all others. */
function createRoot(): Command {
  const { version, homepage } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
    readonly homepage: string;
  };
  return (
    new Command("mediagen")
      .version(version, "-v, --version")
      .exitOverride()
      // `command.ts` prints errors, in two lines.
      .configureOutput({ outputError: () => undefined })
      .configureHelp({ helpWidth: Math.min(process.stdout.columns || 100, 120) })
      .addHelpText(
        "after",
        `\nSet MEDIAGEN_BASE_URL to the URL of the service and MEDIAGEN_API_KEY to your API key.\nDocumentation: ${homepage}\n\n${exitCodesText}`,
      )
  );
}

/** Leaves all arguments to the command of another package, its help too. */
function passArguments(command: Command): Command {
  return command.helpOption(false).allowUnknownOption().argument("[args...]");
}

function addOptions(command: Command, ...groups: readonly ((command: Command) => void)[]): void {
  for (const add of groups) add(command);
}

/** Gives a command its line in the list of commands, and the start of its own help. */
function describe(command: Command, text: string, examples: readonly string[] = []): Command {
  const lines = examples.length > 0 ? ["", "Examples:", ...examples.map((line) => `  ${line}`)] : [];
  return command.summary(text).description([text, ...lines].join("\n"));
}

function addGenerate(command: Command, kind: Kind, models: readonly ModelInfo[], schemas: Schemas): void {
  const names = models.filter((one) => one.kind === kind).map(({ model }) => model);
  command
    .argument(`[${argumentField}]`, `the prompt; "-" reads it from stdin`)
    .addOption(new Option("-m, --model <model>", "the model").choices(names).makeOptionMandatory());
  // The fields of the form come first in the help, but their flags must leave the names of these alone.
  const others = new Command();
  addGenerateOptions(others);
  addFieldFlags(command, kind, models, schemas, others);
  addGenerateOptions(command);
  if (names.length > 1)
    command.addHelpText("after", `\n\`mediagen ${kind} -m MODEL --help\` shows only the fields of a model.`);
  command.action(async (prompt: string | undefined, options, self: Command) =>
    (await import("./commands/generate.ts")).runGenerate(prompt, options, self, models),
  );
}

function addGenerateOptions(command: Command): void {
  command.optionsGroup("Results:");
  addResultOptions(command);
  command.option("--no-wait", "print the task once it is created, and do not wait for it");
  addOptions(command, addWaitOptions, addPrintOptions);
  command
    .optionsGroup("Request:")
    .option("--dry-run", "print the request and send nothing; an image of a URL is read for it")
    .option("--idempotency-key <key>", "your own key: the same key returns the same task, which is billed once")
    .option("--extra-field <name=value>", "a field that is not in the service's description; sent unchecked", collect);
  addStoreOption(command);
  command.option("--no-store", "record nothing: a task whose response is lost is lost, too");
  rejectBoth(command, "store", "no-store");
  addConnectOptions(command);
}

/** Rejects two options that contradict each other, of which the later one would count. */
function rejectBoth(command: Command, ...names: readonly string[]): void {
  const given = new Set<string>();
  for (const name of names)
    command.on(`option:${name}`, () => {
      const flags = names.map((one) => `--${one}`).join(" and ");
      if (given.add(name).size > 1)
        throw usageError(`${flags} exclude each other`, "Nothing was sent. Pass one of them.");
    });
}

const deletions = Object.values(service.operations).map((one) => one.delete);
const isOwnText = ({ takes, required }: Field) => takes === "text" && !required;

function addTaskCommands(add: (name: string, text: string) => Command, schemas: Schemas): void {
  const list = add("list", "List the tasks of the store, first those that have not ended")
    .addOption(new Option("--limit <n>", "how many are listed at most").default(30).argParser(readPositive))
    .addOption(baseUrlOption());
  addOptions(list, addStoreOption, addPrintOptions);
  list.action(async (options) => (await import("./commands/task-list.ts")).listTasks(options));
  const withIds = (name: string, text: string) =>
    add(name, text).argument("<id...>", "such as video:ID; the id alone is enough if the store has the task");
  const show = withIds("show", "Print each task's state, status and result URLs");
  addResultCountOption(show);
  const wait = withIds("wait", "Wait for tasks and print their result URLs");
  addOptions(wait, addResultCountOption, addWaitOptions);
  const download = withIds("download", "Wait for tasks and download their results");
  addOptions(download, addResultOptions, addResultCountOption, addWaitOptions);
  const deletion = withIds("delete", "Delete tasks; whether that stops or refunds a running task is not documented");
  for (const { id, body } of deletions)
    for (const { field } of body.fields.filter(isOwnText))
      deletion.option(`--${field} <text>`, schemas[id]?.properties[field]?.description);
  for (const command of [show, wait, download, deletion])
    addOptions(command, addPrintOptions, addStoreOption, addConnectOptions);
  show.action(async (ids: string[], options) => (await import("./commands/task-show.ts")).showTasks(ids, options));
  const load = () => import("./commands/task-wait.ts");
  wait.action(async (ids: string[], options) => (await load()).waitForTasks(ids, options, undefined));
  download.action(async (ids: string[], options) => (await load()).waitForTasks(ids, options, options.output ?? "."));
  deletion.action(async (ids: string[], options, self: Command) =>
    (await import("./commands/task-delete.ts")).deleteTasks(ids, options, readDeletionFields(self)),
  );
}

/** Returns the fields of a deletion besides the ids. */
function readDeletionFields(command: Command): Readonly<Record<string, unknown>> {
  const given: Readonly<Record<string, unknown>> = command.opts();
  const fields = deletions.flatMap(({ body }) => body.fields.filter(isOwnText).map(({ field }) => field));
  return Object.fromEntries(fields.map((field) => [field, given[field]]).filter(([, value]) => value !== undefined));
}

function addBatch(command: Command): void {
  command
    .argument("<file>", "JSON lines (.jsonl, .ndjson) or CSV (.csv, .tsv); paths in it are relative to it")
    .requiredOption("-o, --output <dir>", "the directory for the results and for the state of the batch", readPath)
    .option("-y, --yes", "skip the confirmation")
    .option("--dry-run", "check every line, print what would be billed, and send nothing")
    .option("--limit <n>", "the maximum number of tasks that this run creates", readPositive)
    .option("--only <id>", "run only this line; may be repeated", collect)
    .option("--retry-failed", "generate a second task, and no third one, for each line whose task has failed (billed)")
    .option("--concurrency <n>", "how many lines run at once (default: 8)", readPositive)
    .option("--rate <n>", "how many generations are sent per minute at most", readPositive);
  addOptions(command, addWaitOptions, addPrintOptions, addConnectOptions);
  command.addHelpText(
    "after",
    "\nA line has a model, the fields of its form and, optionally, an id. The same command again continues the batch;\nnothing is billed twice.",
  );
  command.action(async (file: string, options, self: Command) =>
    (await import("./commands/batch.ts")).batch(file, options, self),
  );
}

function addRecover(command: Command): void {
  addResultOptions(command, "wait for the tasks that are left and download their results: a file or a directory");
  command
    .option("--resolve <generation>", "record the outcome of an unknown generation, as you found it at the service:")
    .option("--taskid <id>", "  the task that it created; the service must know it")
    .option("--unverified", "  record the task without checking it at the service")
    .option("--not-created", "  it created no task; its idempotency key may generate again");
  addOptions(command, addWaitOptions, addPrintOptions, addStoreOption, addConnectOptions);
  command.action(async (options) => (await import("./commands/recover.ts")).recover(options));
}
