import { mkdir, rm, writeFile } from "node:fs/promises";
import { inChild, type Measurement } from "../child.ts";
import { nodeSdk, webSdk } from "../clients.ts";
import { bundle, consumerOf, consumers, weigh } from "../consumers.ts";
import { startDoubles } from "../doubles.ts";
import { aimOf, inTurn, lineOf, type Figures, type Row } from "../table.ts";

interface Given {
  readonly entry: string;
  readonly client: string;
  readonly base: string;
}

const inBrowsers = Object.keys(consumers).filter((name) => name !== nodeSdk);
const directory = new URL("../../../out/bench/size/", import.meta.url);

/** Where each program's calls go in the local server. */
const places: readonly (readonly [string, string])[] = [
  ["https://media.example.com", "media"],
  ["https://api.replicate.com/v1", "replicate"],
  ["https://queue.fal.run", "fal"],
  ["https://api.dev.runwayml.com", "runway"],
  ["https://api.lumalabs.ai/dream-machine/v1", "luma"],
  ["https://api.openai.com/v1", "openai"],
];

const why =
  "The weight is code for promises that the peers do not make. Every field is checked, retries never bill twice, waits learn, responses are bounded, and no error contains the API key.";
const encodings =
  "Other encodings of the table of operations: 45 to 263 bytes more, because gzip had already done the work.";
const tried = [
  "Loading everything that sends at the first call: the initial size falls by 8.9 kB, but the happy path grows by 1.3 kB.",
  "A file of its own for what index.js has besides the client: 0.3 kB more. A bundler loads at once what index.js and a lazy file share.",
];

export const row: Row = {
  title: "Size in a browser",
  what: "The bytes of a program of about thirty lines that generates and waits (test/bench/consumers), bundled and minified by esbuild, after gzip -9. *Initial*: the entry and its static imports. *Happy path*: every script that a successful run evaluates, found by running the bundle against the local server. *Single file*: bundled without splitting.",
  limit: "openapi-fetch, which knows no waiting, no errors and no bounds.",
  notFirst: "the others check no forms, and resend what may have been billed. openapi-fetch does not wait either.",
  tables: [
    {
      title: "Bytes",
      columns: [
        { key: "initial", label: "initial", better: "less" },
        { key: "happy", label: "happy path", better: "less" },
        { key: "single", label: "single file", better: "less" },
        { key: "minified", label: "single file, without gzip" },
      ],
    },
  ],
  async measure() {
    const doubles = await startDoubles();
    const lines = await inTurn(inBrowsers, 1, (client) => sizesOf(client, doubles.base));
    doubles.stop();
    return [lines];
  },
  aims([bytes]) {
    const own = lineOf(bytes?.lines, webSdk);
    return [
      aimOf("happy path", own, "happy", { atMost: 12_500, why, tried: [encodings, ...tried] }),
      aimOf("single file", own, "single", {
        atMost: 14_000,
        why: `${why} A single file has no part that loads later.`,
        tried: [encodings],
      }),
      aimOf("initial", own, "initial", { atMost: 10_000, why, tried }),
    ];
  },
};

async function sizesOf(client: string, base: string): Promise<Figures> {
  const program = consumerOf(client);
  const { entry, initial, later } = await bundle(program);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  for (const { name, contents } of [...initial, ...later]) {
    const says = `(globalThis.evaluated ??= []).push(${JSON.stringify(name)});\n`;
    await writeFile(new URL(name.replace(/\.js$/, ".mjs"), directory), scriptOf(says, contents));
  }
  const evaluated = await inChild("size", { entry, client, base } satisfies Given);
  const happy = [...initial, ...later].filter(({ name }) => name in evaluated);
  const single = await bundle(program, { splitting: false });
  const { minified, gzip } = weigh(single.initial);
  return { initial: weigh(initial).gzip, happy: weigh(happy).gzip, single: gzip, minified };
}

/** A script that says that it is evaluated, and that Node reads as a module. */
function scriptOf(says: string, contents: Uint8Array): string {
  return (
    says +
    Buffer.from(contents)
      .toString("utf8")
      .replace(/(["'])(\.\/[^"']+)\.js\1/g, '"$2.mjs"')
  );
}

/** Runs a program to its success, and answers which scripts were evaluated. */
export const measurement: Measurement<Given> = async ({ entry, client, base }) => {
  const send = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const [from, to] = places.find(([place]) => url.startsWith(place)) ?? [];
    if (from === undefined) throw new Error(`${client}: no server for ${url}`);
    const target = url.replace(from, `${base}/${to}`);
    return input instanceof Request ? send(new Request(target, input)) : send(target, init);
  };
  console.log = () => undefined;
  // The cast: a program exports one function, whose arguments are a prompt and a length or a ratio.
  const program = (await import(new URL(entry.replace(/\.js$/, ".mjs"), directory).href)) as Readonly<
    Record<string, (prompt: string, second: unknown) => Promise<unknown>>
  >;
  const [run] = Object.values(program);
  await run?.("A fox runs through snow", client === webSdk || client === "openapi-fetch" ? 5 : "16:9");
  // The cast: what the scripts above say.
  const { evaluated } = globalThis as typeof globalThis & { readonly evaluated: readonly string[] };
  return Object.fromEntries(evaluated.map((name) => [name, 1]));
};
