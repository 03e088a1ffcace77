import { json } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { generationIdOf } from "@mediagen/sdk/node";
import { createClient, openFleet, type Order } from "./fleet.ts";
import { Rejection, run } from "./log.ts";
import { openResults } from "./results.ts";
import { readSettings } from "./settings.ts";

const usage = `Usage: node operate.ts submit < orders.json | show ORDER | unknown list |
  unknown resolve ORDER --taskid ID | unknown resolve ORDER --not-created | failed list | failed retry ORDER... |
  failed retry --all [--reason TEXT] | forget --older-than 30d`;
const [text, flag] = [{ type: "string" }, { type: "boolean" }] as const;
const options = { taskid: text, reason: text, "older-than": text, all: flag, "not-created": flag };
// The words, the number of orders, and the options of each command.
const isUsage =
  /^(submit 0 |show 1 |unknown list 0 |unknown resolve 1 (taskid|not-created)|failed list 0 |failed retry ([1-9]\d* |0 all(,reason)?)|forget 0 older-than)$/;
const print = (line: object) => console.log(JSON.stringify(line));
await run(async () => {
  const { positionals, values } = parseArgs({ options, allowPositionals: true });
  const words = /^(unknown|failed)$/.test(positionals[0] ?? "") ? 2 : 1;
  const [command, ids] = [positionals.slice(0, words).join(" "), positionals.slice(words)];
  const [, count, unit] = /^(\d+)([dh])$/.exec(values["older-than"] ?? "30d") ?? [];
  const line = `${command} ${ids.length} ${Object.keys(values).sort().join()}`;
  if (!isUsage.test(line) || !unit) throw new Rejection(usage);
  const settings = readSettings();
  const fleet = await openFleet(settings);
  const media = createClient(settings, fleet.store);
  const [id = ""] = ids;
  /** Returns everything that is known of an order. */
  async function describe(id: string) {
    const [order, jobs] = [await fleet.get(id), await fleet.queue.jobsOf(id)];
    if (!order) throw new Rejection(`There is no order "${id}".`);
    const entry = await fleet.store.get(await generationIdOf(media.origin, id));
    const at = entry && new Date(entry.createdAt).toISOString();
    const taskid = order.task?.taskid ?? entry?.task?.taskid;
    const known = { state: order.state, model: order.model, at, reason: order.reason, taskid, entry: entry?.state };
    return { order: id, ...known, jobs, results: await openResults(settings.results).list(id), entryId: entry?.id };
  }
  /** Resolves an order by its task at the service, or by none, and runs it again. */
  async function resolve(given: string | undefined) {
    const { state, entry, entryId, taskid: known, jobs, results } = await describe(id);
    if (state !== "unknown") throw new Rejection(`The order "${id}" is ${state}, not unknown.`);
    // Without its entry, it would be generated, and billed, even if it has a task.
    if (!entryId) throw new Rejection(`The ledger has no entry of "${id}". Restore the database first.`);
    const taskid = given?.trim().replace(/^(image|video):/, ""); // The command mediagen prints it as image:ID.
    // It may be a variable that is not set: to read it as "not created" could bill the order twice.
    if (taskid === "") throw new Rejection("--taskid is empty. If the order has no task, use --not-created.");
    const found = [known ?? [], jobs.filter((job) => job.startsWith("check")), results].flat().join(", ");
    if ((taskid === undefined && found) || (known && known !== taskid))
      throw new Rejection(`The order "${id}" was created: it has ${found}. Use --taskid.`);
    // It is recorded already if a worker was only slow, or if this command was interrupted.
    if (!known && (taskid !== undefined || entry !== "notCreated"))
      await media.resolve(entryId, taskid === undefined ? "notCreated" : { taskid });
    await fleet.move(id, ["unknown"], "waiting");
    await fleet.queue.add("generate", [id]);
    print({ order: id, resolved: taskid ?? "notCreated", isBilledAgain: taskid === undefined });
  }
  async function retry() {
    const retried = new Set(await fleet.retry(values.all ? null : ids, values.reason ?? ""));
    print({ retried: retried.size, notFailed: ids.filter((id) => !retried.has(id)) });
    if (ids.some((id) => !retried.has(id))) process.exitCode = 1;
  }
  async function forget() {
    const before = new Date(Date.now() - Number(count) * (unit === "d" ? 86_400_000 : 3_600_000));
    // The ledger first: while its row is there, an id is not generated again.
    const entries = await fleet.store.forget({ keyed: true, before: before.getTime() });
    const [rows] = await fleet.query<object>("call forget_ended($1, 0, 0)", before);
    print({ before, entries, ...rows });
  }
  // The cast: each order is checked.
  if (command === "submit") print(await fleet.submit((await json(process.stdin).catch(() => undefined)) as Order[]));
  else if (command === "show") print(await describe(id));
  else if (command === "unknown list") for (const { id } of await fleet.list("unknown")) print(await describe(id));
  else if (command === "unknown resolve") await resolve(values.taskid);
  else if (command === "failed list")
    for (const { id, reason, task } of await fleet.list("failed")) print({ order: id, taskid: task?.taskid, reason });
  else if (command === "failed retry") await retry();
  else await forget();
  await fleet.close();
});
