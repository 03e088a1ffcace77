import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { createEmulator, listen, type Emulator } from "@mediagen/emulator/node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startPostgres } from "../fleet/servers.ts";
import { freePort } from "../free-port.ts";

const here = (path: string) => resolve("test/engines", path);
let emulator: Emulator;
let folder: string;
let environment: NodeJS.ProcessEnv;
const leave: (() => unknown)[] = [];

beforeEach(async () => {
  emulator = createEmulator({ clock: { speed: 100 } });
  const server = await listen(emulator);
  folder = await mkdtemp(join(tmpdir(), "engines-"));
  environment = { ...process.env, MEDIAGEN_BASE_URL: server.baseUrl, MEDIAGEN_API_KEY: emulator.client.apiKey };
  leave.push(
    () => rm(folder, { recursive: true, force: true }),
    () => server.close(),
  );
});
afterEach(async () => {
  for (const step of leave.splice(0).reverse()) await step();
});

test("the programs compile", async () => {
  const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const compiling = promisify(execFile)(process.execPath, [compiler, "-p", here("tsconfig.json")]);
  expect((await compiling.catch((error: { stdout: string }) => error)).stdout).toBe("");
});

test.for([
  ["the program of the docs", "out/engines/dbos.ts", 1],
  ["a naive step", "processes/naive-dbos.ts", 2],
] as const)("DBOS: %s, killed after paying, is paid this often", async ([, program, paid]) => {
  await using postgres = await startPostgres();
  const run = async () => {
    const args = ["--import", here("processes/kill-dbos.ts"), here(program)];
    const env = { ...environment, DATABASE_URL: postgres.url };
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
    const stdout = child.stdout.setEncoding("utf8").toArray();
    const [code, signal] = await once(child, "exit");
    return { end: code ?? signal, stdout: (await stdout).join("") };
  };
  expect((await run()).end).toBe("SIGKILL");
  expect(emulator.charges).toHaveLength(1);
  const { end, stdout } = await run();
  expect([end, stdout]).toEqual([0, expect.stringMatching(paid === 1 ? /state: 'succeeded'/ : /^video-/m)]);
  expect(emulator.charges).toHaveLength(paid);
});

test.for([
  ["the program of the docs", "video", 1],
  ["a naive step", "naive", 2],
] as const)("Restate: %s, killed after paying, is paid this often", async ([, service, paid]) => {
  const { ingress, admin } = await startRestate();
  const port = await freePort();
  const start = () => {
    const env = { ...environment, PORT: String(port), RESTATE_LOGGING: "ERROR" };
    const stdio = ["ignore", "ignore", "inherit"] as const;
    return spawn(process.execPath, [here("processes/restate.ts")], { cwd: folder, env, stdio: [...stdio] });
  };
  const first = start();
  leave.push(() => end(first));
  const registered = () =>
    postJson(`${admin}/deployments`, { uri: `http://127.0.0.1:${port}` }).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(registered, { timeout: 20_000 }).toBe(true);
  const killed = once(first, "exit");
  const response = postJson(`${ingress}/${service}/order-1/run`, { prompt: "A fox" });
  expect((await killed)[1]).toBe("SIGKILL");
  expect(emulator.charges).toHaveLength(1);
  const second = start();
  leave.push(() => end(second));
  const text = await (await response).text();
  expect(text).toMatch(paid === 1 ? /^\["http/ : /^"video-/);
  expect(emulator.charges).toHaveLength(paid);
});

test.for([
  ["the program of the docs", "", 1],
  ["a naive step", "?naive", 4],
] as const)("Workflow SDK: %s, whose responses are lost, is paid this often", async ([, query, paid]) => {
  const port = await freePort();
  const env = { ...environment, PORT: String(port) };
  const server = spawn(process.execPath, [here("out/workflow-sdk/server/index.mjs")], {
    cwd: folder,
    env,
    stdio: "ignore",
  });
  leave.push(() => end(server));
  const url = `http://127.0.0.1:${port}/api/run`;
  const isUp = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  await expect.poll(isUp, { timeout: 30_000 }).toBe(true);
  emulator.next({ fault: "resetAfter", on: "generate", times: paid });
  const lost = await (await fetch(url + query, { method: "POST" })).text();
  expect([lost, emulator.charges.length]).toEqual([expect.stringContaining("failed"), paid]);
  if (paid > 1) return;
  const made = await (await fetch(url, { method: "POST" })).text();
  expect([made, emulator.charges.length]).toEqual([expect.stringMatching(/^\{"returned":\["http/), 2]);
});

/** Starts a Restate server with its data in the test's folder. */
async function startRestate(): Promise<{ readonly ingress: string; readonly admin: string }> {
  const [ingress, admin, node] = [await freePort(), await freePort(), await freePort()];
  const env = {
    ...process.env,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
    RESTATE_DISABLE_TELEMETRY: "true",
    RESTATE_LOG_FILTER: "error",
  };
  const args = ["--base-dir", join(folder, "restate")];
  const server = spawn(here("node_modules/.bin/restate-server"), args, { cwd: folder, env, stdio: "ignore" });
  leave.push(() => end(server));
  const isUp = () =>
    fetch(`http://127.0.0.1:${admin}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isUp, { timeout: 30_000 }).toBe(true);
  return { ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}` };
}

function postJson(url: string, body: object): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
