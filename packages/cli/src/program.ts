import { readFileSync } from "node:fs";
import type { Kind, ModelInfo } from "@mediagen/sdk";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { Descriptions } from "./descriptions.ts";
import { exitCodesText } from "./exit-codes.ts";
import { addFieldFlags, argumentField } from "./field-flags.ts";
import { readDuration } from "./duration.ts";
import { shells } from "./shells.ts";

/** The command line: what it takes is made from the models and the service's own descriptions. */
export function createProgram(models: readonly ModelInfo[], descriptions: Descriptions): Command {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
  const program = new Command("mediagen")
    .description("Videos and images from the Media Generation Service")
    .version(version)
    .exitOverride()
    // What is wrong is told in two lines, by whoever runs the program.
    .configureOutput({ outputError: () => undefined })
    .configureHelp({ showGlobalOptions: false, helpWidth: Math.min(process.stdout.columns || 100, 120) })
    .addHelpText(
      "after",
      `\nMEDIAGEN_BASE_URL and MEDIAGEN_API_KEY say where the service is and carry the key.\n\n${exitCodesText}`,
    );
  const kinds = [...new Set(models.map((one) => one.kind))];
  for (const kind of kinds) addGenerate(program, kind, models, descriptions);
  addTask(program, kinds, descriptions);
  addBatch(program);
  addRecover(program);
  program
    .command("models")
    .description("show the models, or the fields of one with their bounds and defaults")
    .addArgument(new Argument("[model]").choices(models.map(({ model }) => model)))
    .addOption(jsonOption())
    .action(async (model: string | undefined, options: object, command: Command) =>
      (await import("./models.ts")).showModels(model, options, command, models, descriptions),
    );
  program
    .command("emulator")
    .description("the service on this machine, free of charge: serve it, or run a command beside it")
    .usage("[options] [exec -- COMMAND]")
    .helpOption(false)
    .allowUnknownOption()
    .argument("[args...]")
    .action(async () => (await import("./emulator.ts")).runEmulator());
  program
    .command("completion")
    .description("print what makes a shell complete this command")
    .addArgument(new Argument("<shell>").choices(Object.keys(shells)))
    .action((shell: string) => void process.stdout.write(`${shells[shell]?.join("\n")}\n`));
  return program;
}

function addGenerate(program: Command, kind: Kind, models: readonly ModelInfo[], descriptions: Descriptions): void {
  const names = models.filter((one) => one.kind === kind).map(({ model }) => model);
  const command = program
    .command(kind)
    .summary(`generate: a prompt becomes ${kind === "video" ? "a video" : "images"}; this is paid`)
    .description("Creates a task, waits for it, and fetches its results. It is paid and cannot be undone.")
    .argument(`[${argumentField}]`, `what to show; "-" reads it from stdin`)
    .addOption(new Option("-m, --model <model>", "the model").choices(names).makeOptionMandatory());
  addResultOptions(command);
  command
    .option("--no-wait", "print the task once it is created, and end")
    .option("--dry-run", "show the request, and send nothing")
    .option("--once <key>", "a key of yours: run again with it, it is the same task, paid once (with a journal)")
    .option(
      "--extra-field <name=value>",
      "a field that the service takes and its description does not show; sent unchecked",
      collect,
    );
  addWaitOptions(command);
  addCommonOptions(command);
  command.optionsGroup("Fields of the form, by the service's description:");
  addFieldFlags(command, kind, models, descriptions);
  command.addHelpText("after", `\n\`mediagen models MODEL\` shows the fields of one model.`);
  command.action(async (prompt: string | undefined, options, self: Command) =>
    (await import("./generate.ts")).runGenerate(kind, prompt, options, self, models),
  );
}

function addTask(program: Command, kinds: readonly Kind[], descriptions: Descriptions): void {
  const task = program
    .command("task")
    .description("look at tasks, wait for them, fetch their results, delete them")
    .helpCommand(false);
  const add = (name: string, description: string) => {
    const command = task
      .command(name)
      .description(description)
      .argument("<id...>", "such as video:ID; the id alone where --kind or the journal tells the kind");
    command.addOption(new Option("--kind <kind>", "what the ids without one are").choices(kinds));
    return command;
  };
  const show = add("show", "print each task's state, status and result addresses");
  addStateOptions(show);
  const wait = add("wait", "wait for the tasks and print their result addresses");
  addStateOptions(wait);
  addWaitOptions(wait);
  const download = add("download", "fetch the tasks' results, after waiting for those that are not done");
  addResultOptions(download);
  addStateOptions(download);
  addWaitOptions(download);
  const deletion = add(
    "delete",
    "delete tasks; whether that stops or refunds a running one is not documented by the service",
  );
  for (const { field, description } of descriptions.deletionFields()) deletion.option(`--${field} <text>`, description);
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
    descriptions
      .deletionFields()
      .map(({ field }) => [field, given[field]])
      .filter(([, value]) => value !== undefined),
  );
}

function addBatch(program: Command): void {
  const command = program
    .command("batch")
    .summary("generate what each line of a file asks for; this is paid")
    .description(
      "Generates what each line of a file asks for, into a folder: JSON lines, or CSV with a header, with a model, the fields of its form and, if you like, an id. Run again, it goes on where it was; nothing is paid twice.",
    )
    .argument("<file>", "a .jsonl, .ndjson, .csv or .tsv; files in it are paths, relative to it")
    .requiredOption("-o, --output <path>", "the folder of the results, and of the journal by which it goes on")
    .option("-y, --yes", "do not ask before it is paid for")
    .addOption(
      new Option("--concurrency <n>", "how many lines may be under way at once (default: 8)").argParser(readPositive),
    )
    .addOption(
      new Option("--rate <n>", "how many generations may be sent in a minute (default: no limit)").argParser(
        readPositive,
      ),
    );
  addWaitOptions(command);
  addConnectOptions(command);
  command.action(async (file: string, options) => (await import("./batch.ts")).batch(file, options));
}

function addRecover(program: Command): void {
  const command = program
    .command("recover")
    .description("list what the journal knows to be left: tasks to resume, and generations of unknown outcome");
  addResultOptions(command, "wait for the tasks that are left and fetch their results: a file or a folder");
  command
    .option("--resolve <generation>", "settle a generation of unknown outcome, by what you found at the service:")
    .option("--taskid <id>", "  it became this task")
    .option("--not-created", "  it became none")
    .option("--compact", "drop from the journal what is settled and has no key");
  addWaitOptions(command);
  addCommonOptions(command);
  command.action(async (options) => (await import("./recover.ts")).recover(options));
}

function addResultOptions(
  command: Command,
  output: string = "where the results go: a file, or a folder (default: this folder)",
): void {
  command
    .option("-o, --output <path>", output)
    .option("--overwrite", "replace files of the same names")
    .option("--preview", "show pictures in a terminal that can (kitty, iTerm2 and their kin)");
}

function addStateOptions(command: Command): void {
  command.addOption(
    new Option(
      "--results <count>",
      "how many results the task was asked for (default: by the journal, else 1)",
    ).argParser(readCount),
  );
}

function addWaitOptions(command: Command): void {
  command.addOption(
    new Option("--timeout <time>", "how long to wait at most, such as 90s, 30m or 2h")
      .default({ ms: 30 * 60_000, text: "30m" }, "30m")
      .argParser(readTime),
  );
}

function addCommonOptions(command: Command): void {
  addConnectOptions(command);
  command.addOption(
    new Option("--journal <file>", "note generations in this file before they are sent, so that none is lost").env(
      "MEDIAGEN_JOURNAL",
    ),
  );
}

/** What every command that asks the service takes. */
function addConnectOptions(command: Command): void {
  command.addOption(
    new Option(
      "--failed-status <n>",
      "a status that means that a task failed; the service does not document any",
    ).argParser(collectStatus),
  );
  command.addOption(jsonOption());
  command
    .option("-q, --quiet", "no progress on stderr")
    .option("--base-url <url>", "where the service is (default: MEDIAGEN_BASE_URL)")
    .addOption(
      new Option("--key-fd <n>", "read the API key from this file descriptor (default: MEDIAGEN_API_KEY)").argParser(
        readCount,
      ),
    )
    .option("--allow-http", "allow http to another machine, where whoever is on the way reads the key");
}

function jsonOption(): Option {
  return new Option("--json", "print one JSON document");
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function collectStatus(value: string, before: readonly number[] = []): readonly number[] {
  if (!/^-?\d+$/.test(value)) throw new InvalidArgumentError("A status is a whole number.");
  return [...before, Number(value)];
}

function readCount(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError("It is a whole number.");
  return Number(value);
}

function readPositive(value: string): number {
  if (!/^0*[1-9]\d*$/.test(value)) throw new InvalidArgumentError("It is a whole number, 1 or more.");
  return Number(value);
}

function readTime(text: string): { readonly ms: number; readonly text: string } {
  const ms = readDuration(text);
  if (ms === undefined) throw new InvalidArgumentError("It is a time such as 90s, 30m or 2h.");
  return { ms, text };
}
