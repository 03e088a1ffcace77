import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { parse, stringify } from "yaml";
import { bundle as buildScripts } from "../../../scripts/build.ts";
import { generate } from "../../../scripts/generate.ts";
import { specFile } from "../../../scripts/spec.ts";
import { inChild, watchCpu, type Measurement } from "../child.ts";
import { webSdk } from "../clients.ts";
import { compile, emptyProgram, tsc } from "../compiler.ts";
import { bundle, consumerOf, weigh } from "../consumers.ts";
import { randomFrom } from "../random.ts";
import { type Aim, aimOf, inTurn, lineOf, spread, withRatio, type Figures, type Row } from "../table.ts";
import { simulate } from "./intervals.ts";

const root = new URL("../../../", import.meta.url);
/** Numbers of operations; the first is the spec's own. */
const counts = ["11", "110", "550"];
const most = "550";
/** Numbers of waits at once. */
const waits = ["1,000", "10,000", "100,000"];
/** Times differ from run to run by more than an operation adds, so the least of so many runs counts. */
const runs = { generate: 5, check: 3 };

export const row: Row = {
  title: "Growth",
  what: "The same for a service with ten and fifty times as many operations. The generations of the spec are multiplied, `generate` runs on it, and the SDK is built. The program is the one of the row on size. The aims compare what an operation adds between 110 and 550 operations with what it adds between 11 and 110. Waits are measured as CPU per query, in virtual time and without HTTP: only their ratio counts.",
  limit: "growth in proportion to the operations for what lists them, and none for what a program does not use.",
  tables: [
    {
      title: "By operations of the service",
      columns: [
        { key: "generateMs", label: "generate, ms" },
        { key: "instantiations", label: "instantiations of a program" },
        { key: "types", label: "types" },
        { key: "checkMs", label: "check time, ms" },
        { key: "minified", label: "initial bytes, minified" },
        { key: "gzip", label: "gzip" },
      ],
    },
    {
      title: "Bytes that one generation of the spec adds",
      columns: [
        { key: "minified", label: "minified" },
        { key: "gzip", label: "gzip" },
      ],
    },
    {
      title: "By waits at once",
      columns: [
        { key: "cpuMicros", label: "CPU per query, µs", digits: 1 },
        { key: "cpuMicros, growth", label: "times 1,000 waits", digits: 2 },
      ],
    },
  ],
  async measure(scale) {
    await generate(await readFile(specFile, "utf8")); // Until it is compiled.
    const measured = await inTurn(counts, scale(2), (count) => grow(Number(count)));
    const added = { name: "mean of all", rounds: [await bytesOfAnOperation()] };
    const waited = await inTurn(waits, scale(2), (count) =>
      inChild("growth", { waits: scale(Number(count.replace(",", ""))) } satisfies Given),
    );
    return [measured, [added], withRatio(waited, waits[0] ?? "", "cpuMicros", "cpuMicros, growth")];
  },
  aims([grown, , waited]) {
    const [line, waiting] = [lineOf(grown?.lines, most), lineOf(waited?.lines, waits.at(-1) ?? "")];
    const slope = (key: string, from: string, to: string) => {
      const [low, high] = [from, to].map((count) => spread(lineOf(grown?.lines, count), key).median);
      return ((high ?? Number.NaN) - (low ?? Number.NaN)) / (Number(to) - Number(from));
    };
    const slopes = (what: string, key: string, atMost: number): Aim => {
      const figure = slope(key, "110", most) / slope(key, "11", "110");
      const name = `${what} that an operation adds, from 110 to 550, times that from 11 to 110`;
      return { what: name, figure, aim: `at most ${atMost}`, holds: figure <= atMost };
    };
    // Too little for a ratio: what is measured is mostly what the compiler's time differs by from run to run.
    const checkMs = slope("checkMs", "110", most);
    return [
      aimOf("operations: instantiations", line, "instantiations", { atMost: 100 }),
      // Time varies from run to run. If it grew with the square of the operations, this would be 5.4.
      slopes("time to generate", "generateMs", 2),
      // Names are longer in a longer list.
      slopes("initial bytes", "minified", 1.05),
      {
        what: "check time that an operation adds, from 110 to 550",
        figure: checkMs,
        aim: "at most 0.5 ms",
        holds: checkMs <= 0.5,
      },
      // The logarithm of 100,000 is 1.7 times that of 1,000.
      aimOf("waits: CPU per query, times 1,000 waits", waiting, "cpuMicros, growth", { atMost: 1.7 }),
    ];
  },
};

interface Given {
  readonly waits: number;
}

/** CPU per query of so many waits at once. */
export const measurement: Measurement<Given> = async ({ waits }) => {
  const random = randomFrom(3);
  const durations = (count: number) => Float64Array.from({ length: count }, () => 2_000 + 4_000 * random());
  await simulate(durations(20_000), 1_000); // Until it is compiled.
  const tasks = durations(waits);
  const cpu = watchCpu();
  const [outcome] = await simulate(tasks, waits);
  return { cpuMicros: cpu() / (outcome?.queries ?? Number.NaN) };
};

/** The SDK of a service with so many operations: what generating and using it takes. */
async function grow(operations: number): Promise<Figures> {
  const yaml = multiplied(await readFile(specFile, "utf8"), operations);
  let files: Awaited<ReturnType<typeof generate>> = {};
  let generateMs = Infinity;
  for (let run = 0; run < runs.generate; run++) {
    const begin = performance.now();
    files = await generate(yaml);
    generateMs = Math.min(generateMs, performance.now() - begin);
  }
  const sdk = await copyOfSdk(files);
  tsc(["-p", fileURLToPath(sdk)]);
  await buildScripts(fileURLToPath(sdk).replace(/\/$/, ""));
  const program = consumerOf(webSdk);
  const { instantiations = 0, types = 0, checkMs = 0 } = await compileQuickest(program, sdk);
  const base = await compileQuickest(await emptyProgram());
  const plugin: Plugin = {
    name: "sdk",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^@mediagen\/sdk$/ }, () => ({ path: fileURLToPath(new URL("dist/index.js", sdk)) })),
  };
  const { minified, gzip } = weigh((await bundle(program, { plugins: [plugin] })).initial);
  await rm(sdk, { recursive: true });
  return {
    generateMs,
    instantiations: instantiations - (base["instantiations"] ?? 0),
    types: types - (base["types"] ?? 0),
    checkMs: checkMs - (base["checkMs"] ?? 0),
    minified,
    gzip,
  };
}

async function compileQuickest(program: string, sdk?: URL): Promise<Figures> {
  const compiled: Figures[] = [];
  for (let run = 0; run < runs.check; run++) compiled.push(await compile(program, sdk));
  return { ...compiled[0], checkMs: Math.min(...compiled.map((one) => one["checkMs"] ?? Number.NaN)) };
}

/** The SDK's sources with other generated files, in a folder where its dependencies are found. */
async function copyOfSdk(files: Readonly<Record<string, string>>): Promise<URL> {
  const sdk = new URL("packages/sdk/", root);
  const copy = new URL("out/bench/sdk/", root);
  const compilerOptions = { rootDir: "src", outDir: "dist", tsBuildInfoFile: "dist/.tsbuildinfo" };
  await cp(new URL("src/", sdk), new URL("src/", copy), { recursive: true });
  await writeFile(new URL("package.json", copy), await readFile(new URL("package.json", sdk)));
  await writeFile(
    new URL("tsconfig.json", copy),
    JSON.stringify({ extends: fileURLToPath(new URL("tsconfig.json", sdk)), compilerOptions, include: ["src"] }),
  );
  for (const [name, text] of Object.entries(files)) {
    if (name.startsWith("packages/sdk/src/")) await writeFile(new URL(name.replace("packages/sdk/", ""), copy), text);
  }
  return copy;
}

/** The program's initial bytes with the SDK's sources, where the table of operations is a file; it may be another. */
async function bytesFromSources(operations?: string): Promise<ReturnType<typeof weigh>> {
  const entry = fileURLToPath(new URL("packages/sdk/src/index.ts", root));
  const plugin: Plugin = {
    name: "sources",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^@mediagen\/sdk$/ }, () => ({ path: entry }));
      onLoad({ filter: /operations\.gen\.ts$/ }, () =>
        operations === undefined ? undefined : { contents: operations, loader: "ts" },
      );
    },
  };
  return weigh((await bundle(consumerOf(webSdk), { plugins: [plugin] })).initial);
}

interface Operation {
  readonly operationId: string;
}

/** A spec with so many operations: its generations again and again, under other names. */
function multiplied(yaml: string, operations: number): string {
  // The cast: it is the project's own spec.
  const spec = parse(yaml) as { paths: Record<string, { readonly post: Operation }> };
  const own = Object.entries(spec.paths);
  const generations = own.filter(([, { post }]) => post.operationId.startsWith("generate"));
  for (let left = operations - own.length, copy = 2; left > 0; copy++) {
    for (const [path, { post }] of generations.slice(0, left))
      spec.paths[`${path}copy${copy}`] = { post: { ...post, operationId: `${post.operationId}Copy${copy}` } };
    left -= generations.length;
  }
  return stringify(spec, { aliasDuplicateObjects: false });
}

/** What is saved where one of the spec's generations is left out: the mean over all of them. */
async function bytesOfAnOperation(): Promise<Figures> {
  const yaml = await readFile(specFile, "utf8");
  const whole = await bytesFromSources();
  const saved = { minified: 0, gzip: 0 };
  const ids = Object.values(
    (parse(yaml) as { readonly paths: Readonly<Record<string, { readonly post: Operation }>> }).paths,
  ).map(({ post }) => post.operationId);
  const generations = ids.filter((id) => id.startsWith("generate"));
  for (const id of generations) {
    const spec = parse(yaml) as { paths: Record<string, { readonly post: Operation }> };
    spec.paths = Object.fromEntries(Object.entries(spec.paths).filter(([, { post }]) => post.operationId !== id));
    const { "packages/sdk/src/spec/operations.gen.ts": contents = "" } = await generate(
      stringify(spec, { aliasDuplicateObjects: false }),
    );
    const without = await bytesFromSources(contents);
    saved.minified += (whole.minified - without.minified) / generations.length;
    saved.gzip += (whole.gzip - without.gzip) / generations.length;
  }
  return saved;
}
