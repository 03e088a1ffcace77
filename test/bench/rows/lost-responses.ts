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
export const ways: readonly (readonly [NonNullable<Settings["lose"]>, string])[] = [
  ["closed", "The connection is closed"],
  ["cut", "The response is cut"],
  ["rejected", "HTTP 502 from a gateway"],
];

export const row = losses({
  title: "Lost responses",
  what: "300 generations, 20 at once. A fifth of them lose their response after the task was created and billed. A *duplicate* is a task beyond the one that was requested. A *warning* is an error that says that a task may exist. Of the ways to lose a response, docs/benchmarks.json has two more: when it is cut, only @fal-ai/client bills twice; after HTTP 502, replicate does not.",
  notFirst:
    "a call whose outcome is unknown is rejected with a warning, and a store finds its task. The others resend it and return the second task, or reject it like any other error.",
  clients: [nodeSdk, webSdk, "openai", "@runwayml/sdk", "replicate", "@fal-ai/client"],
  generations: 300,
});

/** A row that loses a fifth of the responses to each client's generations, in each of some ways. */
export function losses({
  clients,
  generations,
  lost = ways,
  ...words
}: Pick<Row, "title" | "what" | "notFirst"> & {
  readonly clients: readonly string[];
  readonly generations: number;
  readonly lost?: typeof ways;
}): Row {
  return {
    ...words,
    tables: lost.map(([, title], index) => ({
      title,
      isDetail: index > 0,
      columns: [
        { key: "tasks", label: "billed", better: "less" },
        { key: "duplicates", label: "duplicates", better: "less" },
        { key: "errors", label: "rejected calls", better: "less" },
        { key: "warnings", label: "of them with a warning" },
        { key: "lost", label: "billed without a result or a warning", better: "less" },
      ],
    })),
    async measure(scale) {
      const doubles = await startDoubles();
      const tables: Line[][] = [];
      for (const [lose] of lost) {
        const measureOne = async (client: string, round: number) => {
          await doubles.set({ lose, seed: round + 1 });
          const given: Given = { client, base: doubles.base, generations: scale(generations) };
          const { warnings = 0, done = 0, errors = 0 } = await inChild("lost-responses", given);
          const paid = Object.values((await doubles.seen()).paid);
          const tasks = paid.reduce((sum, { length }) => sum + length, 0);
          return {
            errors,
            warnings,
            tasks,
            duplicates: tasks - paid.length,
            lost: tasks - done - warnings,
          };
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
  let done = 0;
  let errors = 0;
  let warnings = 0;
  let hung = 0;
  const generate = async (index: number) => {
    try {
      const result = await Promise.race([client.generate?.(`A fox ${index}`), sleep(longestMs)]);
      if (result === undefined) hung++;
      else done++;
    } catch (error) {
      errors++;
      if (
        /\bmay (already )?(exist|have been)|\b(outcome|result) (is )?(unknown|not known)/i.test(
          textOf(error),
        )
      )
        warnings++;
    }
  };
  await load(generate, 20, generations);
  if (hung > 0) throw new Error(`${hung} calls never ended`);
  return { done, errors, warnings };
};

/** All texts of an error and its causes. */
function textOf(error: unknown): string {
  return error instanceof Error
    ? `${error.name} ${error.message} ${textOf(error.cause)}`
    : String(error);
}
