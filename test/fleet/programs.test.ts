import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createEmulator, listen } from "@mediagen/emulator/node";
import { expect, test } from "vitest";
import { startBullmq, startPgBoss } from "./engines.ts";
import { createOrders } from "./fleet.ts";

test.for([
  ["BullMQ", startBullmq],
  ["pg-boss", startPgBoss],
] as const)(
  "%s: the program takes orders from its input, makes them, and ends when it is told to",
  async ([, start]) => {
    await using engine = await start();
    const emulator = createEmulator({ clock: { speed: 100 } });
    const server = await listen(emulator);
    const cwd = await mkdtemp(join(tmpdir(), "mediagen-fleet-"));
    const env = {
      ...process.env,
      MEDIAGEN_BASE_URL: server.baseUrl,
      MEDIAGEN_API_KEY: emulator.client.apiKey,
      REDIS_URL: engine.url,
      DATABASE_URL: engine.url,
    };
    const run = (...args: readonly string[]) => {
      const child = spawn(process.execPath, [resolve(`docs/examples/fleet/${engine.name}.ts`), ...args], {
        cwd,
        env,
        stdio: ["pipe", "inherit", "inherit"],
      });
      return { child, ended: once(child, "exit") };
    };
    try {
      const submit = run("submit");
      submit.child.stdin.end(JSON.stringify(createOrders(3)));
      expect(await submit.ended).toEqual([0, null]);
      const worker = run();
      await expect
        .poll(() => readdir(join(cwd, "out")).catch(() => []), { timeout: 60_000 })
        .toEqual(["order-0", "order-1", "order-2"]);
      await expect.poll(() => engine.left(), { timeout: 60_000 }).toBe(0);
      worker.child.kill("SIGTERM");
      expect(await worker.ended).toEqual([0, null]);
      expect(emulator.charges).toHaveLength(3);
    } finally {
      await server.close();
      await rm(cwd, { recursive: true });
    }
  },
);
