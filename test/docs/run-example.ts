import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import {
  createEmulator,
  listen,
  type Emulator,
  type EmulatorOptions,
} from "@mediagen/emulator/node";
import { type Ended, followChild } from "../child.ts";

export type { Ended };

/** A program that runs. */
export type Program = ChildProcessByStdio<null, Readable, Readable>;

/** What a program is run with. */
export interface RunOptions {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * A directory with two source images, and an emulator whose URL and key programs find in their
 * environment.
 */
export interface Desk extends AsyncDisposable {
  readonly emulator: Emulator;
  readonly directory: string;
  /** Runs a program of docs/examples to its end. */
  run(program: string, options?: RunOptions): Promise<Ended>;
  /** Starts one that goes on until the desk is left. */
  start(program: string, options?: RunOptions): Program;
  /** The names of the files below a directory. */
  files(directory: string): Promise<readonly string[]>;
}

/**
 * Sets up a desk; its emulator's time is a hundred times as fast as the machine's, unless the desk
 * is given another speed.
 */
export async function createDesk(options: EmulatorOptions = {}): Promise<Desk> {
  const emulator = createEmulator({ clock: { speed: 100 }, ...options });
  const server = await listen(emulator);
  await mkdir("out", { recursive: true });
  const directory = resolve(await mkdtemp("out/example-"));
  const picture = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  for (const name of ["first.png", "last.png"]) await writeFile(join(directory, name), picture);
  const programs = new Set<Program>();
  function start(program: string, { args = [], environment = {} }: RunOptions = {}): Program {
    const env = {
      ...process.env,
      MEDIAGEN_BASE_URL: server.baseUrl,
      MEDIAGEN_API_KEY: emulator.client.apiKey,
      ...environment,
    };
    const child = spawn(process.execPath, [resolve("docs/examples", program), ...args], {
      cwd: directory,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    programs.add(child);
    child.once("close", () => programs.delete(child));
    return child;
  }
  return {
    emulator,
    directory,
    start,
    run: (program, given) => endOf(start(program, given)),
    async files(name) {
      const entries = await readdir(join(directory, name), {
        recursive: true,
        withFileTypes: true,
      });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name)
        .sort();
    },
    async [Symbol.asyncDispose]() {
      const closed = [...programs].map((program) => {
        program.kill();
        return once(program, "close");
      });
      await Promise.all(closed);
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** Reads what a program prints until it ends. */
export function endOf(program: Program): Promise<Ended> {
  return followChild(program).ended;
}
