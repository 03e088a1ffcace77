import { json } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { generationIdOf } from "@mediagen/sdk/node";
import { openFleet, type Order } from "./fleet.ts";
import { Rejection, run } from "./log.ts";
import { readSettings } from "./settings.ts";

const usage = `Usage: node operate.ts submit < orders.json | show ORDER | unknown list |
  unknown resolve ORDER --taskid ID | unknown resolve ORDER --not-created --attempt ID |
  failed list | failed retry ORDER... | failed retry --all [--reason TEXT] | forget --older-than 30d`;
const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const options = {
  attempt: text,
  taskid: text,
  reason: text,
  "older-than": text,
  all: flag,
  "not-created": flag,
};
// The words, the number of orders, and the options of each command.
const isUsage =
  /^(submit 0 |show 1 |unknown list 0 |unknown resolve 1 ((attempt,)?taskid|attempt,not-created)|failed list 0 |failed retry ([1-9]\d* |0 all(,reason)?)|forget 0 older-than)$/;
const print = (line: object) => console.log(JSON.stringify(line));
await run(async () => {
  const { positionals, values } = parseArgs({ options, allowPositionals: true });
  const words = /^(unknown|failed)$/.test(positionals[0] ?? "") ? 2 : 1;
  const command = positionals.slice(0, words).join(" ");
  const ids = positionals.slice(words);
  const [, count, unit] =
    /^(\d{1,5})([dh])$/.exec(values["older-than"] ?? "30d") ?? [];
  const before = new Date(
    Date.now() - Number(count) * (unit === "d" ? 86_400_000 : 3_600_000),
  );
  const line = `${command} ${ids.length} ${Object.keys(values).sort().join()}`;
  if (!isUsage.test(line) || !unit || values.reason === "")
    throw new Rejection(usage);
  const fleet = await openFleet(readSettings());
  const [id = ""] = ids;
  /** Returns everything that is known of an order. */
  async function describe(row: Awaited<ReturnType<typeof fleet.get>>) {
    if (!row) throw new Rejection(`There is no order "${id}".`);
    const entry = await fleet.store.get(
      await generationIdOf(fleet.media.origin, row.id),
    );
    const { id: order, state, model, reason, checked_at: checkedAt, results } = row;
    const at = entry && new Date(entry.createdAt);
    const taskid = row.task?.taskid ?? entry?.task?.taskid;
    return {
      order,
      state,
      model,
      at,
      reason,
      taskid,
      checkedAt,
      results,
      entry: entry?.state,
      entryId: entry?.id,
      attempt: entry?.attempt,
    };
  }
  /**
   * Resolves an order by its task at the service, or by none, and runs it again.
   */
  async function resolve(given: string | undefined) {
    const {
      state,
      entry,
      entryId,
      taskid: known,
      checkedAt,
      results,
    } = await describe(await fleet.get(id));
    if (state !== "unknown")
      throw new Rejection(`The order "${id}" is ${state}, not unknown.`);
    // Without its entry, it would be generated, and billed, even if it has a task.
    if (!entryId)
      throw new Rejection(
        `The store has no entry of "${id}". Restore the database first.`,
      );
    // The command mediagen prints it as image:ID.
    const taskid = given?.trim().replace(/^(image|video):/, "");
    // It may be a variable that is not set: to read it as "not created" could bill
    // the order twice.
    if (taskid === "")
      throw new Rejection(
        "--taskid is empty. If the order has no task, use --not-created.",
      );
    const found = [known ?? [], checkedAt ? "a check" : [], results ?? []]
      .flat()
      .join(", ");
    if ((taskid === undefined && found) || (known && known !== taskid))
      throw new Rejection(
        `The order "${id}" was created: it has ${found}. Use --taskid.`,
      );
    // It is recorded already if a worker was only slow, or if this command was
    // interrupted.
    const { attempt = "" } = values;
    if (!known && taskid !== undefined)
      await fleet.media.resolve(
        entryId,
        { taskid },
        values.attempt ? { attempt } : {},
      );
    if (!known && taskid === undefined && entry !== "notCreated")
      await fleet.media.resolve(entryId, "notCreated", { attempt });
    await fleet.retry("unknown", [id]);
    print({
      order: id,
      resolved: taskid ?? "notCreated",
      isBilledAgain: taskid === undefined,
    });
  }
  async function retry() {
    const retried = await fleet.retry(
      "failed",
      values.all ? null : ids,
      values.reason,
    );
    const notFailed = ids.filter((id) => !retried.includes(id));
    print({ retried: retried.length, notFailed });
    process.exitCode = Math.min(1, notFailed.length);
  }
  // The cast: each order is checked.
  if (command === "submit")
    print(
      await fleet.submit(
        (await json(process.stdin).catch(() => undefined)) as Order[],
      ),
    );
  else if (command === "show") print(await describe(await fleet.get(id)));
  else if (command.endsWith(" list"))
    for (const row of await fleet.list(positionals[0])) print(await describe(row));
  else if (command === "unknown resolve") await resolve(values.taskid);
  else if (command === "failed retry") await retry();
  else print({ before, ...(await fleet.forget(before)) });
  await fleet.close();
});
