import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { createEmulator, listen, type Emulator } from "@mediagen/emulator/node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startPostgres } from "../fleet/servers.ts";
import { freePort } from "../../free-port.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";

const here = (path: string) => resolve("test/weekly/engines", path);
let emulator: Emulator;
let directory: string;
let environment: NodeJS.ProcessEnv;
const leave: (() => unknown)[] = [];

beforeEach(async () => {
  emulator = createEmulator({ clock: { speed: 100 } });
  const server = await listen(emulator);
  directory = await temporaryDirectory();
  environment = {
    ...process.env,
    MEDIAGEN_BASE_URL: server.baseUrl,
    MEDIAGEN_API_KEY: emulator.client.apiKey,
  };
  leave.push(() => server.close());
});
afterEach(async () => {
  for (const step of leave.splice(0).reverse()) await step();
});

test("the programs compile", async () => {
  const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const compiling = promisify(execFile)(process.execPath, [compiler, "-p", here("tsconfig.json")]);
  expect((await compiling.catch((error: { stdout: string }) => error)).stdout).toBe("");
});

/**
 * Runs a workflow, the first worker of which is lost after its step has been billed. Returns what
 * it says in the end.
 */
type Run = (isNaive: boolean) => Promise<string>;

const dbos: Run = async (isNaive) => {
  await using postgres = await startPostgres();
  const program = isNaive ? "processes/naive-dbos.ts" : "out/engines/dbos.ts";
  const args = ["--import", here("processes/kill-dbos.ts")];
  const run = () => start([...args, here(program)], { DATABASE_URL: postgres.url }).ended;
  expect((await run()).how).toBe("SIGKILL");
  expect(emulator.charges).toHaveLength(1);
  return (await run()).stdout;
};

const restate: Run = async (isNaive) => {
  const ingress = await freePort();
  const admin = await freePort();
  const node = await freePort();
  const PORT = `${await freePort()}`;
  const settings = {
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
    RESTATE_DISABLE_TELEMETRY: "true",
    RESTATE_LOG_FILTER: "error",
  };
  start(
    ["--base-dir", join(directory, "restate")],
    settings,
    here("node_modules/.bin/restate-server"),
  );
  await expect.poll(() => isUp(`http://127.0.0.1:${admin}/health`), { timeout: 30_000 }).toBe(true);
  const service = () => start([here("processes/restate.ts")], { PORT, RESTATE_LOGGING: "ERROR" });
  const first = service();
  const register = () =>
    isUp(`http://127.0.0.1:${admin}/deployments`, { uri: `http://127.0.0.1:${PORT}` });
  await expect.poll(register, { timeout: 20_000 }).toBe(true);
  const url = `http://127.0.0.1:${ingress}/${isNaive ? "naive" : "video"}/order-1/run`;
  const response = fetch(url, post({ prompt: "A fox" }));
  expect((await first.ended).how).toBe("SIGKILL");
  expect(emulator.charges).toHaveLength(1);
  service();
  return (await response).text();
};

const workflowSDK: Run = async (isNaive) => {
  const PORT = `${await freePort()}`;
  start([here("out/workflow-sdk/server/index.mjs")], { PORT });
  const url = `http://127.0.0.1:${PORT}/api/run`;
  await expect.poll(() => isUp(url, undefined, true), { timeout: 30_000 }).toBe(true);
  // No worker is lost here, but the responses to its step are.
  emulator.next({ fault: "resetAfter", on: "generate", times: isNaive ? 4 : 1 });
  const run = async (query = "") => (await fetch(url + query, { method: "POST" })).text();
  const lost = await run(isNaive ? "?naive" : "");
  expect([lost, emulator.charges.length]).toEqual([
    expect.stringContaining("failed"),
    isNaive ? 4 : 1,
  ]);
  return isNaive ? lost : run();
};

const inProcess = (program: string) => async () => {
  const { how, stdout } = await start([here(program)]).ended;
  expect(how).toBe(0);
  return stdout;
};
const temporal = inProcess("processes/temporal.ts");
const inngest = inProcess("processes/inngest.ts");

test.for<[string, billed: number, Run, says: RegExp, isNaive?: true]>([
  ["DBOS", 1, dbos, /state: 'succeeded'/],
  ["DBOS, a naive step", 2, dbos, /^video-/m, true],
  ["Restate", 1, restate, /^\["http/],
  ["Restate, a naive step", 2, restate, /^"video-/, true],
  ["Workflow SDK, and a second order", 2, workflowSDK, /^\{"returned":\["http/],
  ["Workflow SDK, a naive step", 4, workflowSDK, /failed/, true],
  ["Temporal, in its test environment", 1, temporal, /^\[true,\["http/],
  ["Inngest, in its test engine", 1, inngest, /^\[(\{"result":\["http[^\]]*\]\},?){2}\]$/m],
])(
  "the step of a worker that is lost: %s is billed this often: %i",
  async ([, billed, run, says, isNaive = false]) => {
    expect(await run(isNaive)).toMatch(says);
    expect(emulator.charges).toHaveLength(billed);
  },
);

/** Starts a program in the directory of the test, which ends it if it does not end by itself. */
function start(
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
  command: string = process.execPath,
) {
  const env = { ...environment, ...settings };
  const child = spawn(command, args, { cwd: directory, env, stdio: ["ignore", "pipe", "ignore"] });
  leave.push(() => end(child));
  const ended = Promise.all([once(child, "exit"), text(child.stdout)]);
  return {
    ended: ended.then(([[code, signal], stdout]) => ({ how: (code ?? signal) as unknown, stdout })),
  };
}

function post(body: object): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** Returns whether a server responds with success, or at all. */
async function isUp(url: string, body?: object, evenWithErrors = false): Promise<boolean> {
  return fetch(url, body && post(body)).then(
    ({ ok }) => ok || evenWithErrors,
    () => false,
  );
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
