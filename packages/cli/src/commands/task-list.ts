import { isAbsolute, relative } from "node:path";
import { fileStore } from "@mediagen/sdk/node";
import { disk } from "@mediagen/sdk/kit";
import { originOf, readAccess } from "../client/access.ts";
import { checkStoreDirectory } from "../files/check-store-directory.ts";
import { type CommandEntry, readEntries, savedPaths } from "../tasks/store-entries.ts";
import { nameOf } from "../tasks/task-name.ts";
import { counted, table } from "../terminal/text.ts";
import type { Parsed } from "../usage/command.ts";
import { createOutput } from "../terminal/output.ts";
import { createProgress } from "../terminal/progress.ts";

/**
 * `mediagen task list`: prints the generations in the store, first those that have not ended. It
 * sends nothing.
 */
export async function run({ options }: Parsed): Promise<void> {
  const progress = createProgress(options);
  const output = createOutput(options);
  if (options.store !== undefined) await checkStoreDirectory(options.store);
  const store = fileStore(options.store ?? disk.stateDirectory());
  const { entries, unreadable } = await readEntries(store);
  const origin = originOf((await readAccess(options)).baseUrl);
  const here = entries.filter((entry) => origin === undefined || entry.origin === origin);
  const isAsked = ({ model, state }: ReturnType<typeof describe>) =>
    model === (options.model ?? model) && state === (options.state ?? state);
  const listed = here.sort(byNeed).map(describe).filter(isAsked);
  const shown = listed.slice(0, options.limit ?? 30);
  const rows = shown.map(({ task, generationId, model, state, createdAt, saved }) => [
    task ? nameOf(task) : generationId,
    model,
    state,
    new Date(createdAt).toISOString(),
    saved.length > 1 ? `${shortened(saved[0])} and ${saved.length - 1} more` : shortened(saved[0]),
  ]);
  if (process.stdout.isTTY && rows.length > 0)
    output.line(table([["TASK", "MODEL", "STATE", "CREATED", "SAVED AS"], ...rows]));
  else for (const row of rows) output.line(row.join("\t"));
  output.document(shown);
  if (entries.length + unreadable.length === 0)
    progress.hint(
      `the store has no generations; a batch has a store of its own: --store DIR/generations`,
    );
  if (listed.length > shown.length)
    progress.hint(`${listed.length - shown.length} more; --limit ${listed.length} lists all`);
  const elsewhere = entries.length - here.length;
  if (elsewhere > 0)
    progress.hint(`not listed: ${counted(elsewhere, "generation")} at other base URLs`);
  for (const { id, unreadable: why } of unreadable)
    progress.warn(`mediagen: the entry ${id} cannot be read (${why}); it may be a paid task`);
}

/** Returns the path of a file as it is typed in the current directory. */
function shortened(path: string = ""): string {
  const here = isAbsolute(path) ? relative(".", path) : path;
  return /^\.\.([\\/]|$)/.test(here) ? path : here;
}

/** Returns a generation as `--json` prints it, with the paths of its saved results. */
function describe(entry: CommandEntry) {
  const { task, id: generationId, model, outcome, createdAt, origin, idempotencyKey } = entry;
  const state = entry.state === "created" ? "pending" : (outcome ?? entry.state);
  return {
    task,
    generationId,
    model,
    state,
    createdAt,
    origin,
    idempotencyKey,
    saved: savedPaths(entry) ?? [],
  };
}

/**
 * Compares entries by urgency: unknown outcomes come first, then unfinished tasks, and the newest
 * first among equals.
 */
function byNeed(a: CommandEntry, b: CommandEntry): number {
  const order = ["unknown", "sending", "created", "ended"];
  return order.indexOf(a.state) - order.indexOf(b.state) || b.createdAt - a.createdAt;
}
