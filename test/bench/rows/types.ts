import { execFileSync } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";
import { bundle as buildScripts } from "../../../scripts/build.ts";
import { generate } from "../../../scripts/generate.ts";
import { specFile } from "../../../scripts/spec.ts";
import { bundle, consumerOf, consumers } from "../consumers.ts";
import { nodeSdk, webSdk } from "../clients.ts";
import { aimOf, inTurn, lineOf, without, withRatio, type Figures, type Row } from "../table.ts";

const root = new URL("../../../", import.meta.url);
const empty = "an empty program";
/** Of operations; the first are as many as the spec has. */
const counts = ["11", "110", "550"];

export const row: Row = {
  title: "What a compiler takes",
  what: "TypeScript's own figures (--extendedDiagnostics, strict, skipLibCheck) for the programs in test/bench/consumers, less those of an empty one. Then the same for a service with ten and fifty times as many operations: the spec's generations are multiplied, `generate` is run on it, and the SDK is built.",
  limit:
    "plain interfaces, which are looked up and not computed: a handful of instantiations, however many operations there are.",
  async measure(scale) {
    const lines = await inTurn([empty, ...Object.keys(consumers)], scale(5), async (client) =>
      compile(client === empty ? await emptyProgram() : consumerOf(client)),
    );
    const programs = without(lines, empty);
    await generate(await readFile(specFile, "utf8")); // until it is compiled
    const [least = "", ...more] = counts;
    const grown = ["generateMs", "minified"].reduce(
      (all, key) => withRatio(all, least, `${key} an operation`, `${key}, growth`),
      await inTurn(counts, scale(3), (count) => grow(Number(count))),
    );
    const most = lineOf(grown, more.at(-1) ?? least);
    const added = await bytesOfAnOperation();
    return {
      tables: [
        {
          title: "A program of thirty lines",
          columns: [
            { key: "instantiations", label: "instantiations" },
            { key: "types", label: "types" },
            { key: "checkMs", label: "check time, ms" },
          ],
          lines: programs,
        },
        {
          title: "Ours by operations of the service",
          columns: [
            { key: "generateMs", label: "generate, ms" },
            { key: "instantiations", label: "instantiations of a program" },
            { key: "types", label: "types" },
            { key: "checkMs", label: "check time, ms" },
            { key: "minified", label: "a browser's bytes, minified" },
            { key: "gzip", label: "gzip" },
          ],
          lines: grown,
        },
        {
          title: "What one of the spec's own generations adds to a browser's bytes",
          columns: [
            { key: "minified", label: "minified" },
            { key: "gzip", label: "gzip" },
          ],
          lines: [{ name: "mean over all", rounds: [added] }],
        },
      ],
      aims: [
        aimOf("instantiations", lineOf(programs, webSdk), "instantiations", { atMost: 100 }),
        aimOf("instantiations", lineOf(programs, nodeSdk), "instantiations", { atMost: 100 }),
        aimOf("operations: instantiations", most, "instantiations", { atMost: 100 }),
        aimOf(`operations: generation time an operation, of that with ${least}`, most, "generateMs, growth", {
          atMost: 1,
        }),
        aimOf(`operations: bytes an operation, of those with ${least}`, most, "minified, growth", { atMost: 1 }),
      ],
    };
  },
};

async function emptyProgram(): Promise<string> {
  const file = new URL("out/bench/empty.ts", root);
  await mkdir(new URL(".", file), { recursive: true });
  await writeFile(file, "export {};\n");
  return fileURLToPath(file);
}

/** What the compiler says of a program; `sdk` is where it finds ours, where that is not the workspace's. */
async function compile(program: string, sdk?: URL): Promise<Figures> {
  const config = new URL("out/bench/tsconfig.json", root);
  await mkdir(new URL(".", config), { recursive: true });
  const paths = sdk && { "@mediagen/sdk": [fileURLToPath(new URL("dist/index.d.ts", sdk))] };
  const options = {
    target: "es2022",
    lib: ["es2023", "dom", "dom.iterable"],
    module: "nodenext",
    types: ["node"],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  };
  await writeFile(
    config,
    JSON.stringify({ compilerOptions: { ...options, ...(paths ? { paths } : {}) }, files: [program] }),
  );
  const told = tsc(["-p", fileURLToPath(config), "--extendedDiagnostics"]);
  const figure = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, "m").exec(told)?.[1]);
  return { instantiations: figure("Instantiations"), types: figure("Types"), checkMs: figure("Check time") * 1_000 };
}

function tsc(args: readonly string[]): string {
  return execFileSync(process.execPath, [fileURLToPath(import.meta.resolve("typescript/bin/tsc")), ...args], {
    encoding: "utf8",
    cwd: fileURLToPath(root),
  });
}

/** The SDK of a service with so many operations: what generating and using it takes. */
async function grow(operations: number): Promise<Figures> {
  const yaml = multiplied(await readFile(specFile, "utf8"), operations);
  const begin = performance.now();
  const files = await generate(yaml);
  const generateMs = performance.now() - begin;
  const sdk = await copyOfSdk(files);
  tsc(["-p", fileURLToPath(sdk)]);
  await buildScripts(fileURLToPath(sdk));
  const program = consumerOf(webSdk);
  const { instantiations = 0, types = 0, checkMs = 0 } = await compile(program, sdk);
  const base = await compile(await emptyProgram());
  const { minified, gzip } = await bundle(program, [
    {
      name: "sdk",
      setup: ({ onResolve }) =>
        onResolve({ filter: /^@mediagen\/sdk$/ }, () => ({ path: fileURLToPath(new URL("dist/index.js", sdk)) })),
    },
  ]);
  await rm(sdk, { recursive: true });
  return {
    generateMs,
    "generateMs an operation": generateMs / operations,
    instantiations: instantiations - (base["instantiations"] ?? 0),
    types: types - (base["types"] ?? 0),
    checkMs: checkMs - (base["checkMs"] ?? 0),
    minified,
    "minified an operation": minified / operations,
    gzip,
  };
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
    if (name.startsWith("sdk/")) await writeFile(new URL(name.replace("sdk/", ""), copy), text);
  }
  return copy;
}

/** The program's bytes with the SDK's sources, where the table of operations is a file; it may be another. */
function bundleFromSources(operations?: string): ReturnType<typeof bundle> {
  const entry = fileURLToPath(new URL("packages/sdk/src/index.ts", root));
  return bundle(consumerOf(webSdk), [
    {
      name: "sources",
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^@mediagen\/sdk$/ }, () => ({ path: entry }));
        onLoad({ filter: /operations\.gen\.ts$/ }, () =>
          operations === undefined ? undefined : { contents: operations, loader: "ts" },
        );
      },
    },
  ]);
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
  const whole = await bundleFromSources();
  const saved = { minified: 0, gzip: 0 };
  const ids = Object.values(
    (parse(yaml) as { readonly paths: Readonly<Record<string, { readonly post: Operation }>> }).paths,
  ).map(({ post }) => post.operationId);
  const generations = ids.filter((id) => id.startsWith("generate"));
  for (const id of generations) {
    const spec = parse(yaml) as { paths: Record<string, { readonly post: Operation }> };
    spec.paths = Object.fromEntries(Object.entries(spec.paths).filter(([, { post }]) => post.operationId !== id));
    const { "sdk/src/operations.gen.ts": contents = "" } = await generate(
      stringify(spec, { aliasDuplicateObjects: false }),
    );
    const without = await bundleFromSources(contents);
    saved.minified += (whole.minified - without.minified) / generations.length;
    saved.gzip += (whole.gzip - without.gzip) / generations.length;
  }
  return saved;
}
