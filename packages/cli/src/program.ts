import type { Field, ModelInfo } from "@mediagen/sdk";
import { type Schemas, service } from "@mediagen/sdk/kit";
import { printCompletion } from "./commands/completion.ts";
import { examplesOf } from "./flags/examples.ts";
import { fieldFlags } from "./flags/field-flags.ts";
import { type Flag, flagsOf } from "./flags/flags.ts";
import type { Command } from "./usage/command.ts";

/** Creates a command with the flags of its name. */
type Add = (name: string, argument: string, text: string, run: Command["run"], more?: Partial<Command>) => Command;

/** Creates the commands. Their models and the flags of forms are made from the service's description. */
export function createCommands(models: readonly ModelInfo[], schemas: Schemas): readonly Command[] {
  const examples = examplesOf(models);
  const add: Add = (name, argument, text, run, more) => {
    const flags = flagsOf(name.split(" ").at(-1) ?? "");
    return { name, argument, text, run, flags, examples: examples[name] ?? [], ...more };
  };
  const generating = [...new Set(models.map(({ kind }) => kind))].map((kind) => {
    const ofKind = models.filter((one) => one.kind === kind);
    const own = flagsOf("generate");
    const flags = [...own.slice(0, 1), ...fieldFlags(ofKind, schemas, own), ...own.slice(1)];
    const text = `Generate ${kind === "video" ? "a video" : "images"} from a prompt (billed)`;
    const run: Command["run"] = async (parsed) => (await import("./commands/generate.ts")).runGenerate(parsed, flags);
    return add(kind, "[prompt]", text, run, { flags, models: ofKind });
  });
  return [
    ...generating,
    ...taskCommands(add, schemas),
    add(
      "batch",
      "<file>",
      "Generate every line of a file (billed); the same command again continues it",
      async (parsed) => (await import("./commands/batch.ts")).batch(parsed),
    ),
    add(
      "recover",
      "",
      "List or download tasks that a crash has left, and resolve unknown outcomes",
      async ({ options }) => (await import("./commands/recover.ts")).recover(options),
    ),
    add(
      "models",
      "[model]",
      "List the models, or the fields of one with their bounds and defaults",
      async ({ words: [name], options }) =>
        (await import("./commands/models.ts")).showModels(name, options, generating, schemas),
      { models },
    ),
    add("emulator", "[args...]", "Emulate the service on this machine, free of charge", async () => {
      process.argv.splice(2, 1);
      await import("@mediagen/emulator/command");
    }),
    add("mcp", "[args...]", "Serve as tools of a language model (needs the package @mediagen/mcp)", async () =>
      (await import("./commands/mcp.ts")).runMcp(),
    ),
    add("completion", "<shell>", "Print the completion script for a shell", ({ words: [shell = ""] }) =>
      printCompletion(shell),
    ),
  ];
}

function taskCommands(add: Add, schemas: Schemas): readonly Command[] {
  const ids = "<id...>";
  const wait = () => import("./commands/task-wait.ts");
  return [
    add("task list", "", "List the tasks of the store, first those that have not ended", async ({ options }) =>
      (await import("./commands/task-list.ts")).listTasks(options),
    ),
    add("task show", ids, "Print each task's state, status and result URLs", async ({ words, options }) =>
      (await import("./commands/task-show.ts")).showTasks(words, options),
    ),
    add("task wait", ids, "Wait for tasks and print their result URLs", async ({ words, options }) =>
      (await wait()).waitForTasks(words, options, undefined),
    ),
    add("task download", ids, "Wait for tasks and download their results", async ({ words, options }) =>
      (await wait()).waitForTasks(words, options, options.output ?? "."),
    ),
    add(
      "task delete",
      ids,
      "Delete tasks; whether that stops or refunds a running task is not documented",
      async ({ words, options, fields }) =>
        (await import("./commands/task-delete.ts")).deleteTasks(words, options, Object.fromEntries(fields)),
      { flags: [...deletionFlags(schemas), ...flagsOf("delete")] },
    ),
  ];
}

/** Returns flags for the fields of deletions besides the ids. */
function deletionFlags(schemas: Schemas): readonly Flag[] {
  const isOwnText = ({ takes, required }: Field) => takes === "text" && !required;
  const all = Object.values(service.operations).flatMap(({ delete: { id, body } }) =>
    body.fields.filter(isOwnText).map(({ field }) => {
      const text = schemas[id]?.properties[field]?.description ?? "";
      return [field, { name: field, takes: "text", text, field }] as const;
    }),
  );
  return [...new Map(all).values()];
}
