import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { aimOf, inTurn, lineOf, type Figures, type Row } from "../table.ts";

/** A program that makes pages, and where it puts them. */
interface Maker {
  readonly args: readonly string[];
  readonly out: string;
  readonly again?: boolean;
}

const root = fileURLToPath(new URL("../../../", import.meta.url));
const scratch = join(root, "out/bench/docs");
const clean = "npm run docs, from clean";
const again = "npm run docs, again";
const copying = "reading the sources and copying the site";
const site = { args: ["scripts/run.js", "docs"], out: join(root, "docs/dist") };
const sources = ["sdk/src/index", "sdk/src/node", "emulator/src/index", "emulator/src/node"].map(
  (source) => `packages/${source}.ts`,
);
const makers: Readonly<Record<string, Maker>> = {
  [clean]: site,
  [again]: { ...site, again: true },
  "redocly build-docs alone": {
    args: [
      fileIn("@redocly/cli", "bin/cli.js"),
      "build-docs",
      "openapi/openapi.yaml",
      "--config",
      "openapi/redocly.yaml",
      "-o",
      join(scratch, "redoc/index.html"),
    ],
    out: join(scratch, "redoc"),
  },
  "TypeDoc alone": {
    args: [
      fileIn("typedoc", "dist/cli.js"),
      "--tsconfig",
      "docs/site/tsconfig.reference.json",
      "--skipErrorChecking",
      "--readme",
      "none",
      "--out",
      join(scratch, "typedoc"),
      ...sources,
    ],
    out: join(scratch, "typedoc"),
  },
};

export const row: Row = {
  title: "Building the documentation",
  what: "Each process makes its pages from built packages. The site has guides, operations, the SDK's reference, search and a playground. The next lines are tools that it is made with. Memory is the process's peak. CPU does not include esbuild, which runs in a process of its own.",
  limit: "reading the sources and writing the site's bytes.",
  tables: [
    {
      title: "From the sources to pages",
      columns: [
        { key: "seconds", label: "time, s", digits: 2 },
        { key: "cpuSeconds", label: "CPU, s", digits: 2 },
        { key: "memoryMb", label: "memory, MB" },
        { key: "pages", label: "pages" },
        { key: "megabytes", label: "written, MB", digits: 1 },
      ],
    },
  ],
  async measure(scale) {
    const lines = await inTurn([...Object.keys(makers), copying], scale(5), async (name) => {
      const maker = makers[name];
      return maker ? make(maker) : copy();
    });
    rmSync(scratch, { recursive: true, force: true });
    return [lines];
  },
  aims([table]) {
    return [clean, again].map((name) =>
      aimOf("time", lineOf(table?.lines, name), "seconds", { atMost: 15, unit: " s" }),
    );
  },
};

/** What a process tells of itself at its end. */
const tell =
  'data:text/javascript,import { writeSync } from "node:fs"; process.on("exit", () => writeSync(3, JSON.stringify(process.resourceUsage())));';

function make({ args, out, again: over }: Maker): Figures {
  if (!over) rmSync(out, { recursive: true, force: true });
  mkdirSync(dirname(out), { recursive: true });
  const start = performance.now();
  const { status, output } = spawnSync(process.execPath, ["--import", tell, ...args], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const seconds = (performance.now() - start) / 1_000;
  if (status !== 0) throw new Error(output.join("\n"));
  // The cast: what `tell` writes.
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(output[3] ?? "") as NodeJS.ResourceUsage;
  const made = readdirSync(out, { recursive: true, encoding: "utf8" });
  const pages = made.filter((name) => name.endsWith(".html")).length;
  const bytes = made.reduce((sum, name) => sum + sizeOf(join(out, name)), 0);
  return {
    seconds,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    memoryMb: maxRSS / 1_024,
    pages,
    megabytes: bytes / 1e6,
  };
}

function copy(): Figures {
  const sources = execFileSync("git", ["ls-files", "docs", "openapi", "packages/*/src/*", "scripts/docs"], {
    cwd: root,
    encoding: "utf8",
  })
    .trim()
    .split("\n");
  rmSync(join(scratch, "copy"), { recursive: true, force: true });
  const start = performance.now();
  for (const name of sources) readFileSync(join(root, name));
  cpSync(site.out, join(scratch, "copy"), { recursive: true });
  return { seconds: (performance.now() - start) / 1_000 };
}

function sizeOf(path: string): number {
  const entry = statSync(path);
  return entry.isFile() ? entry.size : 0;
}

/** A file of a package that may export nothing but its package.json. */
function fileIn(name: string, path: string): string {
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), path);
}
