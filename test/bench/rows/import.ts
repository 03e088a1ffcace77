import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { nodeSdk, webSdk } from "../clients.ts";
import { inTurn, type Figures, type Row } from "../table.ts";

const names = [
  webSdk,
  nodeSdk,
  "openapi-fetch",
  "replicate",
  "@fal-ai/client",
  "@runwayml/sdk",
  "openai",
];

export const row: Row = {
  title: "Import in Node",
  what: `What \`await import(...)\` takes in a fresh Node process.`,
  notFirst: "openapi-fetch is one small file.",
  tables: [
    {
      title: "One import",
      isDetail: true,
      columns: [
        { key: "ms", label: "import, ms", digits: 1, better: "less" },
        { key: "cpuMs", label: "CPU, ms", digits: 1, better: "less" },
      ],
    },
  ],
  async measure(scale) {
    return [await inTurn(names, scale(25), async (client) => importOf(client))];
  },
};

/** Imports one package in a process that does nothing else. */
function importOf(client: string): Figures {
  const script = `const [begin, cpu] = [performance.now(), process.cpuUsage()];
    await import(${JSON.stringify(client)});
    const ms = performance.now() - begin;
    const { user, system } = process.cpuUsage(cpu);
    process.stdout.write(JSON.stringify({ ms, cpuMs: (user + system) / 1000 }));`;
  const cwd = fileURLToPath(new URL("../", import.meta.url));
  // The cast: what the script writes.
  return JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd,
      encoding: "utf8",
    }),
  ) as Figures;
}
