import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg, { type Pool } from "pg";
import { Redis } from "ioredis";
import { freePort } from "../../free-port.ts";

/** A server of this machine, in a directory of its own on a free port. */
export interface Server extends AsyncDisposable {
  readonly url: string;
  /** Kills it with -9, and starts it again on the same data, unless it is to stay down. */
  crash(staysDown?: boolean): Promise<void>;
}

/** The options of a Redis that has each write on the disk before it responds. */
export const durable = ["--appendonly", "yes", "--appendfsync", "always"];

/** Starts a Redis. */
export async function startRedis(options: readonly string[] = durable): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), "mediagen-redis-"));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const args = [
    "--port",
    `${port}`,
    "--bind",
    "127.0.0.1",
    "--dir",
    directory,
    "--save",
    "",
    ...options,
  ];
  const isUp = async () => {
    const redis = new Redis(url, {
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
      lazyConnect: true,
    });
    redis.on("error", () => undefined);
    const response = await redis.ping().catch(() => "none");
    redis.disconnect();
    return response === "PONG";
  };
  return serve({ command: await find("redis-server"), args, isUp, end: "SIGTERM", directory, url });
}

/**
 * Starts a PostgreSQL with the settings that it comes with, and some of its own. It does not run as
 * root, so root starts it as the user that Debian made for it.
 */
export async function startPostgres(options: readonly string[] = []): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), "mediagen-postgres-"));
  const user = userInfo().uid === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  if (user.uid !== undefined) await chown(directory, user.uid, user.gid);
  const data = join(directory, "data");
  const init = ["-D", data, "-U", "media", "--auth=trust", "--encoding=UTF8", "--no-locale"];
  execFileSync(await find("initdb"), init, { ...user, cwd: directory, stdio: "ignore" });
  const port = await freePort();
  const url = `postgres://media@127.0.0.1:${port}/postgres`;
  const given = ["max_connections=300", ...options].flatMap((option) => ["-c", option]);
  const args = ["-D", data, "-p", `${port}`, "-h", "127.0.0.1", "-k", "", ...given];
  const isUp = async () => {
    const client = new pg.Client(url);
    client.on("error", () => undefined);
    const connected = client.connect().then(() => true);
    const isConnected = await connected.catch(() => false);
    await client.end().catch(() => undefined);
    return isConnected;
  };
  // An interrupt ends it without waiting for its clients.
  return serve({
    command: await find("postgres"),
    args,
    user,
    isUp,
    end: "SIGINT",
    directory,
    url,
  });
}

interface Service {
  readonly command: string;
  readonly args: readonly string[];
  readonly user?: { readonly uid?: number; readonly gid?: number };
  readonly isUp: () => Promise<boolean>;
  readonly end: NodeJS.Signals;
  readonly directory: string;
  readonly url: string;
}

/** Starts a server and waits until it takes clients. */
async function serve({
  command,
  args,
  user = {},
  isUp,
  end,
  directory,
  url,
}: Service): Promise<Server> {
  const start = async () => {
    const child = spawn(command, args, { ...user, cwd: directory, stdio: "ignore" });
    process.once("exit", () => child.kill(end)); // Also if a test fails before it holds the server.
    for (; !(await isUp()); await sleep(50))
      if (child.exitCode !== null)
        throw new Error(`${command} ended with ${child.exitCode}: ${args.join(" ")}`);
    return child;
  };
  // After a kill, it does not start before all processes of the killed one have ended.
  const restart = (tries = 20): ReturnType<typeof start> =>
    start().catch((error: unknown) =>
      tries > 0 ? sleep(250).then(() => restart(tries - 1)) : Promise.reject(error),
    );
  let child = await start();
  const stop = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  return {
    url,
    async crash(staysDown = false) {
      await stop("SIGKILL");
      if (!staysDown) child = await restart();
    },
    async [Symbol.asyncDispose]() {
      await stop(end);
      await rm(directory, { recursive: true, maxRetries: 5 });
    },
  };
}

/** Where a command is: in the path, or where Debian puts PostgreSQL. */
async function find(name: string): Promise<string> {
  const debian = "/usr/lib/postgresql";
  const versions = (await readdir(debian).catch(() => [])).map((version) =>
    join(debian, version, "bin"),
  );
  const directories = [...(process.env["PATH"] ?? "").split(delimiter), ...versions];
  const found = directories
    .map((directory) => join(directory, name))
    .find((path) => existsSync(path));
  if (found) return found;
  throw new Error(
    `There is no ${name} on this machine: sudo apt-get install redis-server postgresql`,
  );
}

function idOf(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
}

/**
 * Ends a pool, and waits until its connections are closed: one that outlives them sees its server
 * end.
 */
export async function endPool(pool: Pool): Promise<void> {
  const closed = Array.from({ length: pool.totalCount }, () => Promise.withResolvers<void>());
  let count = 0;
  pool.on("remove", () => closed[count++]?.resolve());
  await pool.end();
  await Promise.all(closed.map(({ promise }) => promise));
}
