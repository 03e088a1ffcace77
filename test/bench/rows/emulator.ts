import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";

/** A server under measurement: how to start it on a port. */
interface Contender {
  readonly name: string;
  readonly args: (port: number) => readonly string[];
}

interface Figures {
  readonly startMs: number;
  readonly startCpuMs: number;
  readonly queriesPerSecond: number;
  readonly formsPerSecond: number;
  readonly memoryMb: number;
}

const prism = join(dirname(createRequire(import.meta.url).resolve("@stoplight/prism-cli/package.json")), "dist/index.js");
const contenders: readonly [Contender, Contender] = [
  { name: "@mediagen/emulator", args: (port) => ["packages/emulator/dist/command.js", "--port", String(port), "--credits", "1e12"] },
  { name: "Prism (-v silent)", args: (port) => [prism, "mock", "-v", "silent", "-p", String(port), "openapi/openapi.yaml"] },
];
const rounds = 3;
const clients = 16;

/** The emulator beside Prism, in turn in one run: medians over the rounds, and their ratio. */
export async function benchEmulator(): Promise<string> {
  const runs = new Map<string, Figures[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      process.stderr.write(`  round ${round + 1} of ${rounds}: ${contender.name}\n`);
      runs.get(contender.name)?.push(await measure(contender, 4700 + round * 2 + index));
    }
  }
  const [ours, theirs] = contenders.map(({ name }) => runs.get(name) ?? []);
  const row = (label: string, key: keyof Figures, digits = 0) => {
    const [a, b] = [spread(ours, key), spread(theirs, key)];
    const cell = ({ median, low, high }: Spread) => `${median.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
    return `| ${label} | ${cell(a)} | ${cell(b)} | ${(a.median / b.median).toFixed(2)} |`;
  };
  return [
    `Node ${process.version}, ${rounds} rounds in turn, ${clients} connections; median (least to most).`,
    "",
    `| | ${contenders[0].name} | ${contenders[1].name} | ratio |`,
    "|---|---|---|---|",
    row("start until the first answer, ms", "startMs"),
    row("CPU until the first answer, ms", "startCpuMs"),
    row("JSON queries per second", "queriesPerSecond"),
    row("multipart generations per second", "formsPerSecond"),
    row("memory after the load, MB", "memoryMb"),
  ].join("\n");
}

interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

function spread(figures: readonly Figures[] = [], key: keyof Figures): Spread {
  const values = figures.map((one) => one[key]).sort((a, b) => a - b);
  return { median: values[values.length >> 1] ?? Number.NaN, low: values[0] ?? Number.NaN, high: values.at(-1) ?? Number.NaN };
}

async function measure({ args }: Contender, port: number): Promise<Figures> {
  const start = performance.now();
  const child = spawn(process.execPath, [...args(port)], { stdio: "ignore" });
  const idle: Socket[] = [];
  try {
    const form = multipart({ prompt: "A fox runs through snow", duration: "5", resolution: "720p" });
    const generate = () => post(idle, port, "/v1/video/vidmodelv2", form.type, form.body);
    const taskid = await untilItAnswers(generate);
    const startMs = performance.now() - start;
    const startCpuMs = cpuMs(child);
    const query = () => post(idle, port, "/v1/video/infobytaskid", "application/json", JSON.stringify({ taskid }));
    await load(query, 5_000); // warm
    await load(generate, 500);
    const queriesPerSecond = await load(query, 10_000);
    const formsPerSecond = await load(generate, 2_000);
    return { startMs, startCpuMs, queriesPerSecond, formsPerSecond, memoryMb: memoryMb(child) };
  } finally {
    for (const socket of idle) socket.destroy();
    child.kill("SIGKILL");
  }
}

async function untilItAnswers(generate: () => Promise<string>): Promise<string> {
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

/** Calls so often, as many at once as there are clients; answers calls per second. */
async function load(call: () => Promise<string>, count: number): Promise<number> {
  let left = count;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (left-- > 0) {
        const answer = await call();
        if (!answer.includes('"code":1000')) throw new Error(`not a success: ${answer.slice(0, 200)}`);
      }
    }),
  );
  return (count / (performance.now() - start)) * 1_000;
}

/** One POST on a bare socket, kept alive: node:http as a client would itself be what is measured. */
function post(idle: Socket[], port: number, path: string, type: string, body: string): Promise<string> {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: emulator-key\r\nContent-Type: ${type}\r\n`;
  return new Promise((resolve, reject) => {
    const socket = idle.pop() ?? connect(port, "127.0.0.1");
    let text = "";
    const read = (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const end = text.indexOf("\r\n\r\n") + 4;
      const length = /content-length: (\d+)/i.exec(text)?.[1];
      const whole = length ? text.length >= end + Number(length) : text.endsWith("\r\n0\r\n\r\n");
      if (end < 4 || !whole) return;
      socket.off("data", read).off("error", reject);
      idle.push(socket);
      resolve(text.slice(end));
    };
    socket.on("data", read).once("error", reject);
    socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  });
}

function multipart(fields: Readonly<Record<string, string>>): { readonly type: string; readonly body: string } {
  const part = ([name, value]: readonly string[]) => `--bench\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  return { type: "multipart/form-data; boundary=bench", body: `${Object.entries(fields).map(part).join("")}--bench--\r\n` };
}

/** CPU time of a process by Linux's accounts: fields 14 and 15 of its stat, in ticks of 10 ms. */
function cpuMs({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function memoryMb({ pid }: ChildProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}
