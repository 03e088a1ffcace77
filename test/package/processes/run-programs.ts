import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { Program, Ran } from "../programs.ts";

// Runs the programs of the list beside one emulator, some at once, and prints how each ended as JSON. Runs none if the usual port
// is in use: what the programs leave behind belongs to a base URL.
if (process.env["MEDIAGEN_BASE_URL"] !== "http://127.0.0.1:4020") process.exit(3);

const [list = ""] = process.argv.slice(2);
// The cast: the test wrote it.
const programs = JSON.parse(await readFile(list, "utf8")) as Program[];
const ran: Record<string, Ran> = {};

async function runNext(): Promise<void> {
  for (let program = programs.shift(); program; program = programs.shift()) {
    const child = spawn("sh", ["-e", "-c", program.line], { cwd: program.folder, stdio: ["ignore", "pipe", "pipe"] });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    ran[program.name] = { code: child.exitCode, stdout, stderr };
  }
}
await Promise.all([1, 2, 3].map(runNext));
console.log(JSON.stringify(ran));
