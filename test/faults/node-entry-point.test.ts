import { execFile } from "node:child_process";
import { appendFile, rm, truncate, utimes, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflateSync } from "node:zlib";
import {
  createMediaGen,
  fileFrom,
  type MediaGen,
  type NodeMediaGenOptions,
} from "@mediagen/sdk/node";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { errorOf, gate, sharedStore } from "../sdk/fake-service.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { reply } from "./replies.ts";
import { startRawServer, type Fault, type RawServer } from "./raw-server.ts";

const form = { prompt: "A fox" };
const responds: Fault = { onRequest: (socket) => void socket.write(reply()) };
const silentTls: Fault = { certificate: { cert: "", key: "" } };
const poll = { interval: 5 };

/** Runs with a client of a server with this fault. */
async function withServer(
  fault: Fault,
  options: NodeMediaGenOptions,
  run: (media: MediaGen, server: RawServer) => Promise<void>,
): Promise<void> {
  const server = await startRawServer(fault);
  const { baseUrl } = server;
  try {
    await run(
      createMediaGen({
        baseUrl,
        apiKey: "key",
        retries: 2,
        clock: { random: () => 0 },
        ...options,
      }),
      server,
    );
  } finally {
    await server.close();
  }
}

/** Lets the time to open a connection pass, on the timer of the SDK. */
const useConnectTimers = () => vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
afterEach(() => vi.useRealTimers());

describe("a connection that is never established sends nothing", () => {
  test("if it takes longer than ten seconds", async () => {
    const events: string[] = [];
    const onEvent = ({ type }: { readonly type: string }) => void events.push(type);
    await withServer(
      { ...silentTls, onConnection: (socket) => void socket.resume() },
      { onEvent },
      async (media, server) => {
        useConnectTimers();
        const error = errorOf(media.video.generate("vidmodelv2", form));
        for (let attempt = 1; attempt <= 3; attempt++) {
          await expect.poll(() => server.connections, poll).toBe(attempt);
          vi.advanceTimersByTime(10_000);
        }
        expect(await error).toHaveProperty("name", "ConnectionError");
        expect([events, server.heads]).toEqual([["retried", "retried", "failed"], 0]);
      },
    );
  });

  test("if the process may open no more files", async () => {
    const waits: Socket[] = [];
    await withServer({ onRequest: (socket) => void waits.push(socket) }, {}, async (_, server) => {
      const program = `
        import { createMediaGen } from "@mediagen/sdk/node";
        const media = createMediaGen({ baseUrl: process.argv[1], retries: 0 });
        const calls = Array.from({ length: 100 }, () => media.video.generate("vidmodelv2", { prompt: "A fox" }));
        const outcome = (error) => error.name + (/EMFILE/.test(error.message) ? " EMFILE" : "");
        for (const call of calls) call.catch((error) => console.log(outcome(error)));`;
      const node = [process.execPath, "--input-type=module", "-e", program, server.baseUrl];
      const limited = execFile("sh", ["-c", 'ulimit -n 64; exec "$@"', "sh", ...node]);
      const outcomes: string[] = [];
      limited.stdout?.on("data", (text: string) => outcomes.push(...text.trim().split("\n")));
      // None is rejected before all connections are opened; those that are wait for a response.
      await expect.poll(() => outcomes.length + server.heads, poll).toBe(100);
      limited.kill();
      expect(new Set(outcomes)).toEqual(new Set(["ConnectionError EMFILE"]));
      expect(waits).toHaveLength(100 - outcomes.length);
    });
  });

  test("if the caller's signal aborts first, and the call rejects with its reason", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const aborts: Fault = {
      ...silentTls,
      onConnection: (socket) => void socket.on("data", () => controller.abort("enough")),
    };
    await withServer(aborts, {}, async (media, server) => {
      for (let call = 1; call <= 2; call++)
        expect(await errorOf(media.video.generate("vidmodelv2", form, { signal }))).toBe("enough");
      expect([server.connections, server.heads]).toEqual([1, 0]);
      await expect.poll(() => server.open, poll).toBe(0);
    });
  });
});

test("nothing of a generation leaves before it is recorded as sending, and an abort by then ends it", async () => {
  const store = sharedStore();
  const reached = gate();
  const held = gate();
  store.beforeWrite(({ state }) => {
    if (state !== "sending") return undefined;
    reached.resolve();
    return held.promise;
  });
  await withServer(responds, { store }, async (media, server) => {
    const controller = new AbortController();
    const error = errorOf(media.video.generate("vidmodelv2", form, { signal: controller.signal }));
    await reached.promise;
    // Whatever had left before would arrive first.
    await media.video.query("t-1");
    controller.abort("enough");
    held.resolve();
    expect(await error).toBe("enough");
    expect([server.heads, store.states()]).toEqual([1, ["sending", "notCreated"]]);
  });
});

describe("connections", () => {
  /**
   * With these options there are 64 for queries, and one for each poll that may be in flight: four
   * times as many as slots.
   */
  const oneSlot = { maxQueriesInFlight: 1, retries: 0 };
  const most = 64 + 4;
  const waiting: Socket[] = [];
  const waits: Fault = { onRequest: (socket) => void waiting.push(socket) };
  const respond = () => waiting.splice(0).forEach((socket) => void socket.write(reply()));

  test("are kept for queries, and each generation has its own, which is closed", async () => {
    await withServer(responds, {}, async (media, server) => {
      for (let round = 0; round < 3; round++) {
        await media.video.query("t-1");
        await media.video.generate("vidmodelv2", form);
      }
      expect(server.connections).toBe(1 + 3);
      await expect.poll(() => server.open, poll).toBe(1);
    });
  });

  test("of queries are never more than 64 and those of polls, however many there are", async () => {
    await withServer(waits, oneSlot, async (media, server) => {
      const calls = Array.from({ length: 150 }, () => media.video.query("t-1"));
      for (const count of [most, most, 150 - 2 * most]) {
        await expect.poll(() => waiting.length, poll).toBe(count);
        expect(server.connections).toBeLessThanOrEqual(most);
        respond();
      }
      await Promise.all(calls);
    });
  });

  test("may be waited for, for longer than one may take to open", async () => {
    await withServer(waits, oneSlot, async (media) => {
      useConnectTimers();
      const calls = Array.from({ length: most + 1 }, () => media.video.query("t-1"));
      await expect.poll(() => waiting.length, poll).toBe(most);
      for (let round = 0; round < 4; round++) vi.advanceTimersByTime(10_000);
      respond();
      await expect.poll(() => waiting.length, poll).toBe(1);
      vi.advanceTimersByTime(10_000);
      respond();
      await Promise.all(calls);
    });
  });

  test("that hang do not delay the abort of a query that waits for one", async () => {
    await withServer({}, oneSlot, async (media, server) => {
      const controller = new AbortController();
      const query = () => errorOf(media.video.query("t-1", { signal: controller.signal }));
      const calls = Array.from({ length: most + 6 }, query);
      await expect.poll(() => server.heads, poll).toBe(most);
      controller.abort("enough");
      expect(new Set(await Promise.all(calls))).toEqual(new Set(["enough"]));
    });
  });
});

test("a compressed response is complete where its encoding ends, and what follows on its connection is not read", async () => {
  const goesOn: Fault = {
    onRequest(socket) {
      socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n");
      socket.write(deflateSync(JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1" } })));
      const write = () => void (!socket.destroyed && socket.write(Buffer.alloc(64 * 1024), write));
      write();
    },
  };
  await withServer(goesOn, {}, async (media, server) => {
    for (const call of [media.video.generate("vidmodelv2", form), media.video.query("t-1")])
      expect((await call).taskid).toBe("t-1");
    await expect.poll(() => server.open, poll).toBe(0);
  });
});

describe("a file", () => {
  let directory = "";
  const path = () => join(directory, "source.gif");
  const write = () =>
    writeFile(path(), Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(16_000_000)]));
  // Each test has a file of its own: a change may continue after its test.
  beforeEach(async () => {
    directory = await temporaryDirectory();
    await write();
  });

  const changes = Object.entries({
    grows: () => appendFile(path(), "more"),
    shrinks: () => truncate(path(), 1_000),
    "is replaced": write,
    "is removed": () => rm(path()),
    "is touched": () => utimes(path(), 1, 1),
  });

  test.for(changes)(
    "that %s after it was checked and before it is sent stops the call",
    async ([, change]) => {
      const sourceImage = await fileFrom(path());
      await withServer(responds, { beforeGenerate: change }, async (media, server) => {
        const error = await errorOf(media.video.generate("vidmodelv2", { sourceImage }));
        expect(error).toMatchObject({
          name: "InvalidRequestError",
          issues: [{ field: "sourceImage" }],
        });
        expect(server.heads).toBe(0);
      });
    },
  );

  test.for(changes)(
    "that %s while it is sent leaves the generation unknown and its request cut",
    async ([, change]) => {
      const sourceImage = await fileFrom(path());
      // The server reads on only when the file has changed: what it has not yet read cannot all be
      // in flight.
      const changed: Fault = {
        onConnection(socket) {
          socket.once("data", async () => {
            socket.pause();
            await change();
            socket.resume();
          });
        },
      };
      await withServer(changed, {}, async (media, server) => {
        const error = await errorOf(media.video.generate("vidmodelv2", { sourceImage }));
        expect(error).toHaveProperty("name", "OutcomeUnknownError");
        await expect.poll(() => server.open, poll).toBe(0);
        expect([server.heads, server.bodies]).toEqual([1, 0]);
      });
    },
  );
});

describe("a process ends by itself, at once,", () => {
  /** What calls in a process of its own came to. It must end soon after the last. */
  async function outcomesIn(baseUrl: string, calls: readonly string[]): Promise<unknown> {
    const program = `
      import { createMediaGen } from "@mediagen/sdk/node";
      const options = { baseUrl: process.argv[1], retries: 0 };
      const media = createMediaGen(options), hasty = createMediaGen({ ...options, generateTimeoutMs: 500, queryTimeoutMs: 500 });
      const large = new Blob(["GIF89a", new Uint8Array(16_000_000)]);
      const seen = [];
      for (const call of [${calls.map((call) => `() => ${call}`).join()}]) seen.push(await call().then(({ taskid }) => taskid, (error) => error.name));
      const end = performance.now();
      process.on("exit", () => console.log(JSON.stringify({ seen, heldMs: performance.now() - end })));`;
    const node = ["--input-type=module", "-e", program, baseUrl];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, node);
    const { seen, heldMs } = JSON.parse(stdout) as { seen: unknown; heldMs: number };
    expect(stderr).toBe("");
    expect(heldMs).toBeLessThan(500);
    return seen;
  }

  test("after responses, and after those that stall or do not arrive", async () => {
    const stalls: Fault = {
      onRequest(socket, _, __, head) {
        if (head.includes("info")) socket.write(reply());
        else if (head.includes("vidmodel"))
          socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{");
      },
    };
    await withServer(stalls, {}, async (_, { baseUrl }) => {
      const calls = [
        "media.video.query('t-1')",
        "hasty.video.generate('vidmodelv2', { sourceImage: large })",
        "hasty.video.delete(['t-1'])",
        "media.video.query('t-1')",
      ];
      expect(await outcomesIn(baseUrl, calls)).toEqual([
        "t-1",
        "OutcomeUnknownError",
        "ConnectionError",
        "t-1",
      ]);
    });
  });

  test("after a response to half of a request, whose other half nobody reads", async () => {
    await withServer(
      { onHalf: (socket) => void socket.pause().write(reply()) },
      {},
      async (_, { baseUrl }) => {
        const calls = ["media.video.generate('vidmodelv2', { sourceImage: large })"];
        expect(await outcomesIn(baseUrl, calls)).toEqual(["t-1"]);
      },
    );
  });
});
