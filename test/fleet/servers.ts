import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdtemp, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import type { Pool } from "pg";
import { freePort } from "../free-port.ts";

/** A server of this machine, in a folder of its own on a free port. */
export interface Server extends AsyncDisposable {
  readonly url: string;
}

/** Starts a Redis that keeps every write on the disk before it answers. */
export async function startRedis(): Promise<Server> {
  const command = await find("redis-server");
  const folder = await mkdtemp(join(tmpdir(), "mediagen-redis-"));
  const port = await freePort();
  const args = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--dir",
    folder,
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
    "--save",
    "",
  ];
  return serve(
    spawn(command, args, { stdio: "ignore" }),
    () => isOpen(port),
    "SIGTERM",
    folder,
    `redis://127.0.0.1:${port}`,
  );
}

/** Starts a PostgreSQL with the settings that it comes with, and connections for more than four workers. It does not run as root, so root starts it as the user that Debian made for it. */
export async function startPostgres(): Promise<Server> {
  const [initdb, postgres, isReady] = [await find("initdb"), await find("postgres"), await find("pg_isready")];
  const folder = await mkdtemp(join(tmpdir(), "mediagen-postgres-"));
  const user = userInfo().uid === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid);
  const data = join(folder, "data");
  execFileSync(initdb, ["-D", data, "-U", "media", "--auth=trust", "--encoding=UTF8", "--no-locale"], {
    ...user,
    cwd: folder,
    stdio: "ignore",
  });
  const port = await freePort();
  const child = spawn(
    postgres,
    ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", "", "-c", "max_connections=300"],
    {
      ...user,
      cwd: folder,
      stdio: "ignore",
    },
  );
  // An interrupt ends it without waiting for its clients.
  // Its port is open before it takes anyone.
  const isUp = async () => (await once(spawn(isReady, ["-q", "-h", "127.0.0.1", "-p", String(port)]), "exit"))[0] === 0;
  return serve(child, isUp, "SIGINT", folder, `postgres://media@127.0.0.1:${port}/postgres`);
}

/** Waits until a server takes clients. */
async function serve(
  child: ChildProcess,
  isUp: () => Promise<boolean>,
  signal: NodeJS.Signals,
  folder: string,
  url: string,
): Promise<Server> {
  const ended = once(child, "exit");
  // Also where a test fails before it holds the server.
  const kill = () => child.kill(signal);
  process.once("exit", kill);
  while (!(await isUp())) {
    if (child.exitCode !== null)
      throw new Error(`${child.spawnfile} ended with ${child.exitCode}; run "${child.spawnargs.join(" ")}" to see why`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      kill();
      await ended;
      process.off("exit", kill);
      await rm(folder, { recursive: true });
    },
  };
}

/** Where a command is: in the path, or where Debian puts PostgreSQL. */
async function find(name: string): Promise<string> {
  const debian = "/usr/lib/postgresql";
  const versions = await readdir(debian).catch(() => []);
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...versions.map((version) => join(debian, version, "bin")),
  ];
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found) return found;
  throw new Error(
    `There is no ${name} on this machine. The fleet's tests run on real servers: sudo apt-get install redis-server postgresql`,
  );
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

function idOf(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
}

/** Ends a pool, and waits until its connections are closed: one that outlives them sees its server end. */
export async function endPool(pool: Pool): Promise<void> {
  const closed = Array.from({ length: pool.totalCount }, () => Promise.withResolvers<void>());
  let count = 0;
  pool.on("remove", () => closed[count++]?.resolve());
  await pool.end();
  await Promise.all(closed.map(({ promise }) => promise));
}
