import { execFile, execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { launchBrowser } from "../browser.ts";
import { pathOfMachine } from "../path-of-machine.ts";
import { serve } from "../serve.ts";
import { steerByFetch, type Place } from "./conformance.ts";

/** A JavaScript engine, and how a program is run on it. */
export interface Engine {
  readonly name: string;
  readonly isBrowser: boolean;
  readonly entryPoints: readonly ("plain" | "node")[];
  /** What checks say of it if it differs, by check. */
  readonly differs: Readonly<Record<string, unknown>>;
  /** Runs `program.mjs` of a directory and returns what its `report` does. */
  readonly run: (directory: string, place: Place) => Promise<string>;
}

/**
 * Where `npm run test:weekly -- runtimes` installs engines, apart from the workspace's own
 * packages.
 */
export const installedIn = join(import.meta.dirname, "engines");
const installed = (path: string) => join(installedIn, "node_modules", path);

const silent = {
  "a closed port is a connection error":
    "the engine does not say that nothing was sent: the outcome is unknown",
};
/**
 * Chromium repeats any request that ends without a response on a connection that has served
 * another: hence `allowBrowser`.
 */
const repeats = {
  "lost responses (resetAfter): billed once, each reported": expect.stringMatching(
    /^repeated: \d+ of 10 were billed twice$/,
  ),
  "a connection that breaks before the service acts leaves a generation unknown": "it is repeated",
};
const permissions =
  "--no-prompt --allow-net=127.0.0.1 --allow-env --allow-sys=hostname --allow-read=. --allow-write=.";

/** The engines that are installed there. */
export const installedEngines: readonly Engine[] = [
  ...[20, 22, 24, 26].map((major) =>
    processEngine(`Node ${major}`, installed(`node-${major}/bin/node`)),
  ),
  processEngine("Deno", installed(".bin/deno"), ["run", ...permissions.split(" ")]),
  processEngine("Bun", installed(".bin/bun")),
  { name: "workerd", isBrowser: false, entryPoints: ["plain"], differs: silent, run: runInWorkerd },
];

/** Chromium, from npm too. */
export const chromium: Engine = {
  name: "Chromium",
  isBrowser: true,
  entryPoints: ["plain"],
  differs: { ...silent, ...repeats },
  run: runInChromium,
};

/** The machine's own Node: the first on the path that no package brought. */
export function systemNode(): Engine {
  const env = { ...process.env, PATH: pathOfMachine() };
  const version = execFileSync("node", ["--version"], { encoding: "utf8", env });
  const path = execFileSync("node", ["-p", "process.execPath"], { encoding: "utf8", env });
  return processEngine(`Node ${version.trim().slice(1)}`, path.trim());
}

/** An engine that runs a file and has files itself. */
function processEngine(name: string, command: string, args: readonly string[] = []): Engine {
  const run = async (directory: string) => {
    const program = 'import { report } from "./program.mjs";\nconsole.log(await report());\n';
    await writeFile(join(directory, "main.mjs"), program);
    const { stdout, stderr } = await execute(command, [...args, "main.mjs"], directory);
    if (stderr !== "") throw new Error(`${name}: ${stderr}`);
    return stdout;
  };
  return { name, isBrowser: false, entryPoints: ["plain", "node"], differs: {}, run };
}

/** Runs a command, which must end by itself with success. */
function execute(command: string, args: readonly string[], cwd: string) {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: cwd,
    NO_COLOR: "1",
    DENO_NO_UPDATE_CHECK: "1",
  };
  return promisify(execFile)(command, args, { cwd, env, timeout: 120_000 });
}

/** workerd runs a worker's tests by itself; the network it may reach is this machine. */
async function runInWorkerd(directory: string): Promise<string> {
  const program =
    'import { report } from "./program.mjs";\nexport default { test: async () => console.log(await report()) };\n';
  await writeFile(join(directory, "main.mjs"), program);
  await writeFile(
    join(directory, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "main", worker = (
    compatibilityDate = "2026-10-23",
    modules = [(name = "main.mjs", esModule = embed "main.mjs"), (name = "program.mjs", esModule = embed "program.mjs")],
  )),
  (name = "internet", network = (allow = ["local"])),
]);
`,
  );
  // It logs each connection that is lost, so its stderr says nothing.
  return (await execute(installed(".bin/workerd"), ["test", "config.capnp"], directory)).stdout;
}

/** A page of an origin of its own, so that the emulator has to allow pages of others. */
async function runInChromium(directory: string, { baseUrl }: Place): Promise<string> {
  const program = await readFile(join(directory, "program.mjs"));
  await using pages = await serve(({ url }, response) => {
    if (url === "/program.mjs") response.setHeader("content-type", "text/javascript").end(program);
    else
      response
        .setHeader("content-type", "text/html")
        .end("<!doctype html><title>Conformance</title>");
  });
  await using browser = await launchBrowser();
  const page = await browser.newPage();
  const errors: Error[] = [];
  page.on("pageerror", (error) => errors.push(error));
  await page.exposeFunction("steer", (action: string, body?: object) =>
    steerByFetch(baseUrl, action, body),
  );
  await page.goto(pages.baseUrl);
  const report = await page.evaluate<string>(
    'import("/program.mjs").then(({ report }) => report())',
  );
  if (errors[0]) throw errors[0];
  return report;
}
