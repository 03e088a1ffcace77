import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { bareSockets } from "../bare-socket.ts";
import { load } from "../child.ts";
import { inTurn, withRatio, type Figures, type Row, type Scale } from "../table.ts";

const emulator = "@mediagen/emulator";
const prism = "Prism (-v silent)";
const prismFile = join(
  dirname(createRequire(import.meta.url).resolve("@stoplight/prism-cli/package.json")),
  "dist/index.js",
);
/** How to start each server on a port. */
const servers: Readonly<Record<string, (port: string) => readonly string[]>> = {
  [emulator]: (port) => ["packages/emulator/dist/command.js", "--port", port, "--credits", "1e12"],
  [prism]: (port) => [prismFile, "mock", "-v", "silent", "-p", port, "openapi/openapi.yaml"],
};
const clients = 16;
const form = `${Object.entries({
  prompt: "A fox runs through snow",
  duration: "5",
  resolution: "720p",
})
  .map(
    ([name, value]) =>
      `--bench\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  .join("")}--bench--\r\n`;

export const row: Row = {
  title: "The emulator and Prism",
  what: `Each server in its own process; the load comes over ${clients} bare sockets.`,
  tables: [
    {
      title: "Requests and memory",
      columns: [
        { key: "queriesPerSecond", label: "JSON queries/s", better: "more" },
        { key: "queriesPerSecond of Prism", label: "times Prism", digits: 1 },
        { key: "formsPerSecond", label: "multipart generations/s", better: "more" },
        { key: "formsPerSecond of Prism", label: "times Prism", digits: 1 },
        { key: "memoryMb", label: "memory after the load, MB", better: "less" },
      ],
    },
  ],
  async measure(scale) {
    let port = 4_700;
    const measured = await inTurn(Object.keys(servers), scale(3), (name) =>
      measureServer(servers[name]?.(String(++port)) ?? [], port, scale),
    );
    const keys = ["queriesPerSecond", "formsPerSecond", "memoryMb"];
    return [keys.reduce((all, key) => withRatio(all, prism, key, `${key} of Prism`), measured)];
  },
};

async function measureServer(
  args: readonly string[],
  port: number,
  scale: Scale,
): Promise<Figures> {
  const child = spawn(process.execPath, [...args], { stdio: "ignore" });
  const sockets = bareSockets(port);
  try {
    const generate = () =>
      sockets.post("/v1/video/vidmodelv2", "multipart/form-data; boundary=bench", form);
    const taskid = await firstTask(generate);
    const query = () =>
      sockets.post("/v1/video/infobytaskid", "application/json", JSON.stringify({ taskid }));
    await perSecond(query, scale(5_000)); // warm
    await perSecond(generate, scale(500));
    const queriesPerSecond = await perSecond(query, scale(10_000));
    const formsPerSecond = await perSecond(generate, scale(2_000));
    return { queriesPerSecond, formsPerSecond, memoryMb: memoryMb(child) };
  } finally {
    sockets.close();
    child.kill("SIGKILL");
  }
}

async function firstTask(generate: () => Promise<string>): Promise<string> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    try {
      return (JSON.parse(await generate()) as { data: { taskid: string } }).data.taskid;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** Calls so often, and resolves to calls per second. */
async function perSecond(call: () => Promise<string>, count: number): Promise<number> {
  const ms = await load(
    async () => {
      const text = await call();
      if (!text.includes('"code":1000')) throw new Error(`not a success: ${text.slice(0, 200)}`);
    },
    clients,
    count,
  );
  return (count / ms) * 1_000;
}

function memoryMb({ pid }: ChildProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1.024e-3;
}
