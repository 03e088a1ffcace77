import { setTimeout as sleep } from "node:timers/promises";
import { inChild, type Measurement } from "../child.ts";
import { createClient, nodeSdk, webSdk } from "../clients.ts";
import { startDoubles, type Settings } from "../doubles.ts";
import { aimOf, inTurn, type Aim, type Row, type Table } from "../table.ts";

interface Given {
  readonly client: string;
  readonly base: string;
  readonly generations: number;
}

const names = [nodeSdk, webSdk, "openai", "@runwayml/sdk", "replicate", "@fal-ai/client", "lumaai"];
const generations = 300;
/** No client's retries take so long: what has not ended by then never does. */
const longestMs = 20_000;
const ways: readonly (readonly [NonNullable<Settings["lose"]>, string])[] = [
  ["closed", "The server closes the connection once it has the request"],
  ["cut", "The answer is cut in its middle"],
  ["rejected", "HTTP 502 by a gateway that had passed the request on"],
];

export const row: Row = {
  title: "Lost answers",
  what: `${generations} generations, 20 at once, of which a fifth lose their answer after the task was created and paid. A duplicate is a task more than was asked for; an error tells where its text says that a task may exist; a task is lost if neither its id nor such an error came back. A call that has not ended after 20 s never does.`,
  limit:
    "no duplicate and no lost task; an answer that is lost cannot be had again from a service without an idempotency key.",
  async measure(scale) {
    const doubles = await startDoubles();
    const tables: Table[] = [];
    const aims: Aim[] = [];
    for (const [lose, title] of ways) {
      const lines = await inTurn(names, scale(3), async (client, round) => {
        await doubles.set({ lose, seed: round + 1 });
        const {
          telling = 0,
          tasksInHand = 0,
          ...told
        } = await inChild("lost-answers", {
          client,
          base: doubles.base,
          generations: scale(generations),
        } satisfies Given);
        const paid = Object.values((await doubles.seen()).paid);
        const tasks = paid.reduce((sum, { length }) => sum + length, 0);
        return { ...told, telling, tasks, duplicates: tasks - paid.length, lost: tasks - tasksInHand - telling };
      });
      tables.push({
        title,
        columns: [
          { key: "tasks", label: "tasks paid" },
          { key: "duplicates", label: "duplicates" },
          { key: "errors", label: "errors" },
          { key: "telling", label: "of them telling" },
          { key: "hung", label: "calls that never ended" },
          { key: "lost", label: "lost tasks" },
        ],
        lines,
      });
      for (const line of lines.filter(({ name }) => name === nodeSdk || name === webSdk)) {
        aims.push(
          aimOf(`duplicates (${lose})`, line, "duplicates", { atMost: 0 }),
          aimOf(`lost tasks (${lose})`, line, "lost", { atMost: 0 }),
        );
      }
    }
    doubles.stop();
    return { tables, aims };
  },
};

export const measurement: Measurement<Given> = async ({ client: name, base, generations: count }) => {
  const client = await createClient(name, { base });
  const taskids = new Set<string>();
  let [next, errors, telling, hung] = [0, 0, 0, 0];
  const one = async () => {
    while (next < count) {
      try {
        const taskid = await Promise.race([client.generate?.(`A fox ${next++}`), sleep(longestMs)]);
        if (taskid === undefined) hung++;
        else taskids.add(taskid);
      } catch (error) {
        errors++;
        if (/\bmay (already )?(exist|have been)|\b(outcome|result) (is )?(unknown|not known)/i.test(textOf(error)))
          telling++;
      }
    }
  };
  await Promise.all(Array.from({ length: 20 }, one));
  return { tasksInHand: taskids.size, errors, telling, hung };
};

/** All that an error says, with its causes. */
function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name} ${error.message} ${textOf(error.cause)}` : String(error);
}
