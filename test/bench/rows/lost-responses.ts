import { setTimeout as sleep } from "node:timers/promises";
import { inChild, load, type Measurement } from "../child.ts";
import { createClient, nodeSdk, webSdk } from "../clients.ts";
import { startDoubles, type Settings } from "../doubles.ts";
import { inTurn, type Line, type Row } from "../table.ts";

interface Given {
  readonly client: string;
  readonly base: string;
  readonly generations: number;
}

/** No client's retries take so long. */
const longestMs = 20_000;
const ways: readonly (readonly [NonNullable<Settings["lose"]>, string])[] = [
  ["closed", "The server closes the connection after it has the request"],
  ["cut", "The response is cut in the middle"],
  ["rejected", "HTTP 502 from a gateway that had passed the request on"],
];

export const row = losses({
  title: "Lost responses",
  what: "300 generations",
  clients: [nodeSdk, webSdk, "openai", "@runwayml/sdk", "replicate", "@fal-ai/client"],
  generations: 300,
});

/** A row that loses a fifth of the responses to each client's generations, in each of the three ways. */
export function losses({
  title,
  what,
  clients,
  generations,
}: Pick<Row, "title" | "what"> & { readonly clients: readonly string[]; readonly generations: number }): Row {
  return {
    title,
    what: `${what}, 20 at once. A fifth of them lose their response after the task was created and billed. A *duplicate* is a task beyond the one that was requested. A *warning* says that a task may exist. A task is *lost silently* if neither a result nor a warning came back.`,
    tables: ways.map(([, title], index) => ({
      title,
      isDetail: index > 0,
      columns: [
        { key: "tasks", label: "billed", better: "less" },
        { key: "duplicates", label: "duplicates", better: "less" },
        { key: "errors", label: "errors" },
        { key: "telling", label: "warnings" },
        { key: "hung", label: "calls that never ended", better: "less" },
        { key: "lost", label: "tasks lost silently", better: "less" },
      ],
    })),
    async measure(scale) {
      const doubles = await startDoubles();
      const tables: Line[][] = [];
      for (const [lose] of ways) {
        const measureOne = async (client: string, round: number) => {
          await doubles.set({ lose, seed: round + 1 });
          const given: Given = { client, base: doubles.base, generations: scale(generations) };
          const { telling = 0, done = 0, ...others } = await inChild("lost-responses", given);
          const paid = Object.values((await doubles.seen()).paid);
          const tasks = paid.reduce((sum, { length }) => sum + length, 0);
          return { ...others, telling, tasks, duplicates: tasks - paid.length, lost: tasks - done - telling };
        };
        tables.push(await inTurn(clients, scale(3), measureOne));
      }
      doubles.stop();
      return tables;
    },
  };
}

export const measurement: Measurement<Given> = async ({ client: name, base, generations }) => {
  const client = await createClient(name, { base });
  let [done, errors, telling, hung] = [0, 0, 0, 0];
  const generate = async (index: number) => {
    try {
      const result = await Promise.race([client.generate?.(`A fox ${index}`), sleep(longestMs)]);
      if (result === undefined) hung++;
      else done++;
    } catch (error) {
      errors++;
      if (/\bmay (already )?(exist|have been)|\b(outcome|result) (is )?(unknown|not known)/i.test(textOf(error)))
        telling++;
    }
  };
  await load(generate, 20, generations);
  return { done, errors, telling, hung };
};

/** All texts of an error and its causes. */
function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name} ${error.message} ${textOf(error.cause)}` : String(error);
}
