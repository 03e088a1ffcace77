import type { generateImage } from "ai";
import { setTimeout as sleep } from "node:timers/promises";
import { inChild, type Measurement } from "../child.ts";
import { startDoubles, type Settings } from "../doubles.ts";
import { inTurn, type Line, type Row } from "../table.ts";

interface Given {
  readonly provider: string;
  readonly base: string;
  readonly calls: number;
}

type ImageModel = Parameters<typeof generateImage>[0]["model"];

const ours = "@mediagen/ai-sdk-provider";
const apiKey = "bench-key";

/** An image model of each provider, created as its README says. Each is loaded only when it is measured. */
const models: Readonly<Record<string, (base: string) => Promise<ImageModel>>> = {
  async [ours](base) {
    const { createMediaGenProvider } = await import("@mediagen/ai-sdk-provider");
    const { createMediaGen } = await import("@mediagen/sdk/node");
    return createMediaGenProvider({ media: createMediaGen({ apiKey, baseUrl: `${base}/media` }) }).image("imgmodelz");
  },
  async "@ai-sdk/luma"(base) {
    const { createLuma } = await import("@ai-sdk/luma");
    return createLuma({ apiKey, baseURL: `${base}/luma` }).image("photon-1");
  },
  async "@ai-sdk/replicate"(base) {
    const { createReplicate } = await import("@ai-sdk/replicate");
    return createReplicate({ apiToken: apiKey, baseURL: `${base}/replicate` }).image("owner/model");
  },
  async "@ai-sdk/fal"(base) {
    const { createFal } = await import("@ai-sdk/fal");
    return createFal({ apiKey, baseURL: `${base}/fal` }).image("owner/app");
  },
};

const names = Object.keys(models);
const calls = 100;
/** No provider's retries take so long. */
const longestMs = 60_000;
const ways: readonly (readonly [NonNullable<Settings["lose"]>, string, string])[] = [
  ["closed", "The server closes the connection after it has the request", "connection closed"],
  ["cut", "The response is cut in the middle", "response cut"],
  ["rejected", "HTTP 502 from a gateway that had passed the request on", "HTTP 502"],
];

export const row: Row = {
  title: "Lost responses in the AI SDK",
  what: `${calls} calls of \`generateImage\` of \`ai\` with its defaults, which are two retries, 20 at once. A fifth of the generations lose their response after the task was created and billed. A *duplicate* is a task beyond the one that was requested. A *warning* is an error whose text says that a task may exist.`,
  limit: "no duplicate. Without an idempotency key, a lost response cannot be fetched from the service later.",
  tables: ways.map(([, title]) => ({
    title: `${title} (AI SDK)`,
    columns: [
      { key: "billed", label: "billed", better: "less" },
      { key: "duplicates", label: "duplicates", better: "less" },
      { key: "images", label: "calls with an image" },
      { key: "errors", label: "errors" },
      { key: "telling", label: "warnings" },
    ],
  })),
  async measure(scale) {
    const doubles = await startDoubles();
    const tables: Line[][] = [];
    for (const [lose] of ways) {
      const measureOne = async (provider: string, round: number) => {
        await doubles.set({ lose, seed: round + 1 });
        const given: Given = { provider, base: doubles.base, calls: scale(calls) };
        const told = await inChild("ai-sdk", given);
        const paid = Object.values((await doubles.seen()).paid);
        const billed = paid.reduce((sum, { length }) => sum + length, 0);
        return { ...told, billed, duplicates: billed - paid.length };
      };
      tables.push(await inTurn(names, scale(3), measureOne));
    }
    doubles.stop();
    return tables;
  },
};

export const measurement: Measurement<Given> = async ({ provider, base, calls: count }) => {
  const { generateImage } = await import("ai");
  const model = await models[provider]?.(base);
  if (!model) throw new Error(`no provider is called ${provider}`);
  let [next, images, errors, telling] = [0, 0, 0, 0];
  const one = async () => {
    while (next < count) {
      try {
        const done = await Promise.race([generateImage({ model, prompt: `A fox ${next++}` }), sleep(longestMs)]);
        if (done) images += done.images.length;
      } catch (error) {
        errors++;
        if (/\bmay (already )?(exist|have been)/i.test(String(error))) telling++;
      }
    }
  };
  await Promise.all(Array.from({ length: 20 }, one));
  return { images, errors, telling };
};
