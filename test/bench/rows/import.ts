import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { webSdk } from "../clients.ts";
import { consumers, packagesOf } from "../consumers.ts";
import { inTurn, without, type Figures, type Line, type Row } from "../table.ts";

const nothing = "nothing";
const emptyFile = "an empty file";
const bench = new URL("../", import.meta.url);
const rounds = 25;

export const row: Row = {
  title: "Import in Node",
  what: `What \`await import(...)\` takes in a fresh Node process, by the process's own clock. Memory is that of the process at its end, above a process that imports nothing. Packages are those that npm installs. The ${rounds} rounds are interleaved.`,
  limit: "an empty file. The first use of Node's global fetch alone takes some 30 ms and 16 MB.",
  notFirst: "openapi-fetch is one small file, and replicate is CommonJS without dependencies.",
  tables: [
    {
      title: "One import",
      columns: [
        { key: "ms", label: "import, ms", digits: 1, better: "less" },
        { key: "cpuMs", label: "CPU, ms", digits: 1, better: "less" },
        { key: "processMs", label: "complete process, ms more", digits: 1 },
        { key: "memoryMb", label: "memory, MB more", digits: 1, better: "less" },
        { key: "packages", label: "packages", better: "less" },
      ],
      references: [emptyFile],
    },
  ],
  async measure(scale) {
    writeFileSync(new URL("../../../out/bench/empty.mjs", import.meta.url), "");
    const names = [nothing, emptyFile, ...Object.keys(consumers)];
    const lines = await inTurn(names, scale(rounds), async (client) => start(client));
    return [without(lines, nothing).map(withPackages)];
  },
};

/** A process that imports one package and ends. */
function start(client: string): Figures {
  const what = client === emptyFile ? new URL("../../../out/bench/empty.mjs", import.meta.url).href : client;
  const script = `const [begin, before] = [performance.now(), process.cpuUsage()];
    ${client === nothing ? "" : `await import(${JSON.stringify(what)});`}
    const ms = ${client === nothing ? "0" : "performance.now() - begin"};
    const { user, system } = process.cpuUsage(before);
    const cpuMs = ${client === nothing ? "0" : "(user + system) / 1000"};
    process.stdout.write(JSON.stringify({ ms, cpuMs, memoryMb: process.resourceUsage().maxRSS / 1024 }));`;
  const begin = performance.now();
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: fileURLToPath(bench),
    encoding: "utf8",
  });
  const processMs = performance.now() - begin;
  if (!stdout) throw new Error(stderr);
  // The cast: what the script writes.
  return { ...(JSON.parse(stdout) as Figures), processMs };
}

function withPackages(line: Line): Line {
  if (line.name === emptyFile) return line;
  const ours = line.name.startsWith(webSdk);
  const lockfile = new URL(ours ? "../../package-lock.json" : "package-lock.json", bench);
  const packages = packagesOf(ours ? webSdk : line.name, lockfile).length;
  return { ...line, rounds: line.rounds.map((figures) => ({ ...figures, packages })) };
}
