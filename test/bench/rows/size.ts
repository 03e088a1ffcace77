import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bundle, consumerOf, consumers, packagesOf } from "../consumers.ts";
import { nodeSdk, webSdk } from "../clients.ts";
import { aimOf, inTurn, lineOf, without, type Figures, type Row } from "../table.ts";

const empty = "an empty process";
const bench = new URL("../", import.meta.url);
const inBrowsers = Object.keys(consumers).filter((name) => name !== nodeSdk);

const whyImport =
  "openapi-fetch, the one dependency, takes some 2 ms of it by itself; the rest is Node's finding and compiling two files, of which one is 97 kB";

export const row: Row = {
  title: "What it weighs",
  what: "Bytes that a browser loads for a program that generates and waits (test/bench/consumers), bundled and minified by esbuild; what an import adds to a Node process, by the clock and by memory; and packages that npm installs for it.",
  limit:
    "openapi-fetch, which knows neither waiting nor errors nor bounds; and an import of nothing. The first use of Node's global fetch alone takes some 30 ms and 16 MB.",
  async measure(scale) {
    const bytes = await inTurn(inBrowsers, 1, async (client) => ({ ...(await bundle(consumerOf(client))) }));
    const began = await inTurn([empty, ...Object.keys(consumers)], scale(15), async (client) => start(client));
    const added = without(began, empty).map((line) => ({
      ...line,
      rounds: line.rounds.map((figures) => ({ ...figures, packages: installed(line.name) })),
    }));
    const [plain, node] = [lineOf(added, webSdk), lineOf(added, nodeSdk)];
    return {
      tables: [
        {
          title: "In a browser",
          columns: [
            { key: "minified", label: "minified, bytes" },
            { key: "gzip", label: "gzip" },
            { key: "brotli", label: "brotli" },
          ],
          lines: bytes,
        },
        {
          title: "In Node",
          columns: [
            { key: "ms", label: "import, ms", digits: 1 },
            { key: "memoryMb", label: "memory, MB", digits: 1 },
            { key: "packages", label: "packages" },
          ],
          lines: added,
        },
      ],
      aims: [
        aimOf("bytes gzip", lineOf(bytes, webSdk), "gzip", {
          atMost: 6_500,
          note: "openapi-fetch is a seventh of it; the rest is not the models (some 40 bytes each, see the row on types) but what is wanted of the calls: each field checked and told in words, evidence of what was sent, retries within a budget, limits on time and size, waiting that learns, and no key in any error",
        }),
        aimOf("import", plain, "ms", { atMost: 5, note: whyImport }, " ms"),
        aimOf("import", node, "ms", { atMost: 5, note: whyImport }, " ms"),
      ],
    };
  },
};

/** A process that imports one package and ends: how long it took, and its memory at most. */
function start(client: string): Figures {
  const script = `${client === empty ? "" : `await import(${JSON.stringify(client)});`} process.stdout.write(String(process.resourceUsage().maxRSS))`;
  const begin = performance.now();
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: fileURLToPath(bench),
    encoding: "utf8",
  });
  if (!stdout) throw new Error(stderr);
  return { ms: performance.now() - begin, memoryMb: Number(stdout) / 1_024 };
}

function installed(client: string): number {
  const ours = client.startsWith(webSdk);
  return packagesOf(ours ? webSdk : client, new URL(ours ? "../../package-lock.json" : "package-lock.json", bench))
    .length;
}
