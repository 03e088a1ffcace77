import { parseArgs } from "node:util";
import { generationIdOf, InvalidRequestError, type MediaGen } from "@mediagen/sdk/node";
import { createClient } from "./client.ts";
import { openEngine } from "./engine.ts";
import { readSettings } from "./settings.ts";

const usage = `Usage:
  node unknown.ts list
  node unknown.ts settle ORDER --taskid ID
  node unknown.ts settle ORDER --not-created`;

const options = { taskid: { type: "string" }, "not-created": { type: "boolean" } } as const;
const { positionals, values } = parseArgs({ options, allowPositionals: true });
const [verb, id] = positionals;
const isSettled = values.taskid !== undefined || values["not-created"] === true;
const isBoth = values.taskid !== undefined && values["not-created"] === true;
if (!(verb === "list" || (verb === "settle" && id && isSettled && !isBoth))) {
  console.error(usage);
  process.exit(2);
}

const settings = readSettings();
const engine = await openEngine(settings);
try {
  const media = createClient(settings, engine.store);
  if (verb === "settle" && id) await settle(media, id, values.taskid);
  else await list(media);
} catch (error) {
  // Its text says what is wrong, and that nothing was recorded.
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = error instanceof InvalidRequestError ? 2 : 1;
}
await engine.close();

/** Prints each order with the time and the model, by which a person finds its task at the service. */
async function list(media: MediaGen): Promise<void> {
  const orders = await engine.unknown();
  for (const { order, reason } of orders) {
    const record = await engine.store.get(await generationIdOf(media.origin, order.id));
    const at = record ? new Date(record.createdAt).toISOString() : "(no record)";
    console.log([order.id, order.model, at, reason].join("\t"));
  }
  const count = orders.length === 1 ? "1 order" : `${orders.length} orders`;
  console.log(`${count} of unknown outcome${orders.length > 0 ? ", each of which may have been paid" : ""}`);
}

/** Settles an order, after the task has been queried. */
async function settle(media: MediaGen, id: string, given: string | undefined): Promise<void> {
  const isListed = (await engine.unknown()).some(({ order }) => order.id === id);
  if (!isListed) throw new Error(`There is no order "${id}" of unknown outcome. Nothing was changed.`);
  const read = async () => engine.store.get(await generationIdOf(media.origin, id));
  const kind = (await read())?.kind;
  // Without its record, it would be generated, and billed, even if it has a task.
  if (!kind)
    throw new Error(
      `The store has no record of the order "${id}" at ${media.origin}. Nothing was changed. Use the MEDIAGEN_BASE_URL of the workers. If the record was lost, restore the store first.`,
    );
  // The CLI prints a task as image:ID.
  const [, givenKind, taskid] = /^(?:(image|video):)?(.*)$/s.exec(given?.trim() ?? "") ?? [];
  // It may be a shell variable that is not set: to read it as "not created" could bill the order twice.
  if (given !== undefined && !taskid)
    throw new Error("--taskid is empty. Nothing was changed. If the order has no task, use --not-created.");
  if (givenKind && givenKind !== kind)
    throw new Error(`The order "${id}" is not of the kind ${givenKind}. Nothing was changed.`);
  await engine.settle(media, id, taskid || undefined);
  const recorded = (await read())?.task?.taskid;
  if (recorded && recorded !== taskid) console.log(`A worker has recorded the task since: it is ${recorded}.`);
  if (recorded) console.log(`${id} is the task ${recorded}. It is checked and downloaded, and not billed again.`);
  else console.log(`${id} was not created. It is resent, and billed. If it had a task after all, it is billed twice.`);
}
