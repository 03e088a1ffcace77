import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openEngine } from "../../docs/examples/fleet/engine.ts";
import type { Order } from "../../docs/examples/fleet/order.ts";
import { readSettings } from "../../docs/examples/fleet/settings.ts";
import { createOrders } from "./fleet.ts";
import { createDeployment, startBullmqServer, startPgBossServer } from "./deployment.ts";

const engines = [
  ["BullMQ", startBullmqServer],
  ["pg-boss", startPgBossServer],
] as const;
const long = { timeout: 60_000 };

test.for(engines)("%s: orders become files, and health and metrics report it", async ([, start]) => {
  await using fleet = await createDeployment(start);
  expect(await fleet.submit(createOrders(3))).toBe("3 orders added\n");
  const worker = await fleet.startWorker();
  expect(worker.lines[0]).toMatchObject({ event: "started", perSecond: 12, service: fleet.baseUrl });
  await expect.poll(() => fleet.files(), long).toEqual(["order-0", "order-1", "order-2"]);
  expect(await worker.get("/live")).toEqual([200, "live\n"]);
  expect(await worker.get("/ready")).toEqual([200, "ready\n"]);
  const [, metrics] = await worker.get("/metrics");
  expect(metrics).toContain('mediagen_generations_total{model="imgmodelz",outcome="created"} 3\n');
  expect(metrics).toContain('mediagen_task_seconds_count{model="imgmodelz",state="succeeded"} 3\n');
  expect(metrics).toContain('mediagen_steps_in_flight{step="generate"} 0\n');
  expect(metrics).toContain('mediagen_queue_jobs{queue="unknown"');
  expect(metrics).toContain("mediagen_credits_out 0\n");
  // What an alert looks at is there before it happens for the first time.
  expect(metrics).toContain('mediagen_steps_total{step="check",outcome="failed"} 0\n');
  expect(metrics).toContain('mediagen_events_total{type="storeFailed"} 0\n');
  await worker.end("SIGTERM");
  expect(worker.lines.map(({ event }) => event)).toEqual(["started", "stopping", "stopped"]);
  expect(await fleet.run("unknown", "list")).toEqual([0, "0 orders of unknown outcome\n"]);
  expect(fleet.emulator.charges).toHaveLength(3);
});

test.for(
  engines.flatMap(([name, start]) => (["SIGTERM", "SIGINT"] as const).map((signal) => [name, signal, start] as const)),
)(
  "%s: at %s, a generation that hangs is listed as unknown in less than 15 s, and is settled by its task",
  async ([, signal, start]) => {
    await using fleet = await createDeployment(start);
    fleet.emulator.next({ fault: "hang", on: "generate" });
    await fleet.submit(createOrders(1));
    const worker = await fleet.startWorker();
    await expect.poll(() => fleet.emulator.charges.length, long).toBe(1);
    const tookMs = await worker.end(signal);
    console.log(`${fleet.name}: ${signal} with a generation that hangs: ${tookMs} ms`);
    expect(tookMs).toBeLessThan(15_000);
    expect(worker.lines).toContainEqual(expect.objectContaining({ event: "unknown", order: "order-0" }));

    const [, listed] = await fleet.run("unknown", "list");
    expect(listed).toMatch(/^order-0\timgmodelz\t2\S+Z\t.*\n1 order of unknown outcome, /);
    expect(await fleet.run("unknown", "settle", "order-0", "--taskid", "image-made-up")).toEqual([
      2,
      expect.stringContaining("image-made-up"),
    ]);
    expect(await fleet.run("unknown", "settle", "order-9", "--not-created")).toEqual([
      1,
      'There is no order "order-9" of unknown outcome. Nothing was changed.\n',
    ]);
    // As of a variable of the shell that is not set: it must not be taken for "not created".
    for (const empty of ["", " ", "image:"])
      expect(await fleet.run("unknown", "settle", "order-0", "--taskid", empty), `--taskid "${empty}"`).toEqual([
        1,
        "--taskid is empty. Nothing was changed. If the order has no task, use --not-created.\n",
      ]);
    const [task] = fleet.emulator.tasks;
    const elsewhere = { MEDIAGEN_BASE_URL: "http://127.0.0.1:1" };
    expect(await fleet.runWith(elsewhere, "unknown", "", "settle", "order-0", "--taskid", `${task?.taskid}`)).toEqual([
      1,
      expect.stringMatching(/^The store has no record of the order "order-0" at \S+:1\. Nothing was changed\. /),
    ]);
    expect(await fleet.run("unknown", "list")).toEqual([0, listed]);
    expect(await fleet.run("unknown", "settle", "order-0", "--taskid", `image:${task?.taskid}`)).toEqual([
      0,
      `order-0 is the task ${task?.taskid}. It is checked and downloaded, and not billed again.\n`,
    ]);
    const next = await fleet.startWorker();
    await expect.poll(() => fleet.files(), long).toEqual(["order-0"]);
    await next.end("SIGTERM");
    expect(fleet.emulator.charges).toHaveLength(1);
  },
);

test.for(engines)("%s: an order that is settled as not created is sent again", async ([, start]) => {
  await using fleet = await createDeployment(start);
  fleet.emulator.next({ fault: "resetBefore", on: "generate" });
  await fleet.submit(createOrders(1));
  const worker = await fleet.startWorker();
  await expect.poll(() => worker.lines.map(({ event }) => event), long).toContain("unknown");
  const gauge = 'mediagen_queue_jobs{queue="unknown",state="waiting"} 1\n';
  await expect.poll(async () => (await worker.get("/metrics"))[1], long).toContain(gauge);
  expect(await fleet.run("unknown", "settle", "order-0", "--not-created")).toEqual([
    0,
    "order-0 was not created. It is resent, and billed. If it had a task after all, it is billed twice.\n",
  ]);
  await expect.poll(() => fleet.files(), long).toEqual(["order-0"]);
  await worker.end("SIGTERM");
  expect(fleet.emulator.charges).toHaveLength(1);
});

test.for(engines)("%s: a second signal ends the worker at once", async ([, start]) => {
  await using fleet = await createDeployment(start);
  fleet.emulator.next({ fault: "hang", on: "generate" });
  await fleet.submit(createOrders(1));
  const worker = await fleet.startWorker();
  await expect.poll(() => fleet.emulator.charges.length, long).toBe(1);
  worker.kill("SIGINT");
  await expect.poll(() => worker.get("/ready").then(([status]) => status)).toBe(503);
  worker.kill("SIGINT"); // As npm does, which passes on what the terminal has sent to all.
  await sleep(1_000);
  expect(await worker.get("/live")).toEqual([200, "live\n"]);
  worker.kill("SIGINT");
  expect(await worker.ended).toBe(130);
});

test.for(engines.flatMap(([name, start]) => (["query", "download"] as const).map((on) => [name, on, start] as const)))(
  "%s: a %s that hangs is aborted at SIGTERM and done by the next worker",
  async ([, on, start]) => {
    await using fleet = await createDeployment(start);
    fleet.emulator.next({ fault: "hang", on });
    await fleet.submit(createOrders(1));
    const worker = await fleet.startWorker();
    await expect.poll(() => fleet.emulator.calls.some(({ fault }) => fault === "hang"), long).toBe(true);
    const tookMs = await worker.end("SIGTERM");
    console.log(`${fleet.name}: SIGTERM with a ${on} that hangs: ${tookMs} ms`);
    expect(tookMs).toBeLessThan(5_000);
    const next = await fleet.startWorker();
    await expect.poll(() => fleet.files(), long).toEqual(["order-0"]);
    const idleMs = await next.end("SIGTERM");
    console.log(`${fleet.name}: SIGTERM when idle: ${idleMs} ms`);
    expect(fleet.emulator.charges).toHaveLength(1);
  },
);

test.for(engines)("%s: without credits, one order at a time is tried until one is accepted", async ([, start]) => {
  await using fleet = await createDeployment(start);
  fleet.emulator.credits = 0;
  await fleet.submit(createOrders(30));
  const settings = { CREDITS_PAUSE_MS: "3000", PER_SECOND: "4" };
  const [worker, other] = await Promise.all([fleet.startWorker(settings), fleet.startWorker(settings)]);
  const sent = () => fleet.emulator.calls.filter(({ operation }) => operation?.startsWith("generate")).length;
  await expect.poll(async () => (await worker.get("/metrics"))[1], long).toContain("mediagen_credits_out 1\n");
  // What was taken at once is over; then each pause ends with one order.
  await sleep(2_000);
  const before = sent();
  await sleep(12_000);
  expect(sent() - before).toBeGreaterThanOrEqual(2);
  expect(sent() - before).toBeLessThanOrEqual(5);
  fleet.emulator.credits = 1e6;
  await expect.poll(async () => (await fleet.files()).length, { timeout: 120_000 }).toBe(30);
  expect((await worker.get("/metrics"))[1]).toContain("mediagen_credits_out 0\n");
  await Promise.all([worker.end("SIGTERM"), other.end("SIGTERM")]);
  expect(fleet.emulator.charges).toHaveLength(30);
});

test.for(engines)("%s: after HTTP 429, no worker sends for as long as the service wants", async ([, start]) => {
  await using fleet = await createDeployment(start);
  fleet.emulator.next({ fault: "rateLimited", on: "generate", retryAfter: "10" });
  const workers = await Promise.all([fleet.startWorker(), fleet.startWorker()]);
  await fleet.submit(createOrders(1));
  const sent = () => fleet.emulator.calls.filter(({ operation }) => operation?.startsWith("generate")).length;
  await expect.poll(sent, long).toBe(1);
  const from = performance.now();
  await sleep(1_500); // On pg-boss, the other worker reads the pause once a second.
  await fleet.submit(createOrders(3));
  await expect.poll(sent, long).toBeGreaterThan(1);
  expect(performance.now() - from).toBeGreaterThan(9_000);
  await expect.poll(() => fleet.files(), long).toEqual(["order-0", "order-1", "order-2"]);
  const metrics = await Promise.all(workers.map((worker) => worker.get("/metrics")));
  expect(metrics.filter(([, text]) => text.includes('mediagen_events_total{type="throttled"} 1\n'))).toHaveLength(1);
  await Promise.all(workers.map((worker) => worker.end("SIGTERM")));
  expect(fleet.emulator.charges).toHaveLength(3);
});

test.for(engines)("%s: an order that failed is listed, and is retried by hand", async ([, start]) => {
  await using fleet = await createDeployment(start);
  fleet.emulator.next({ fault: "failure", on: "generate" });
  const prompt = "a fox that nobody may read of";
  await fleet.submit(createOrders(1).map((order) => ({ ...order, form: { prompt } }) as Order));
  const worker = await fleet.startWorker();
  await expect
    .poll(() => fleet.run("failed", "list"), long)
    .toEqual([0, expect.stringMatching(/^order-0\tgenerate\t.+\n1 failed\n$/)]);
  expect(await fleet.run("failed", "retry", "order-0", "order-1")).toEqual([
    1,
    "order-0 runs again\norder-1 has not failed. Nothing was changed.\n",
  ]);
  await expect.poll(() => fleet.files(), long).toEqual(["order-0"]);
  expect(await fleet.run("failed", "list")).toEqual([0, "0 failed\n"]);
  await worker.end("SIGTERM");
  expect(fleet.emulator.charges).toHaveLength(1);
  const log = JSON.stringify(worker.lines);
  expect(log).toContain('"event":"rejected","step":"generate","order":"order-0"');
  for (const secret of [prompt, fleet.emulator.client.apiKey]) expect(log).not.toContain(secret);
});

test.for(engines)("%s: without the queue's server, a worker is not ready, and still ends", async ([, start]) => {
  await using fleet = await createDeployment(start);
  const worker = await fleet.startWorker();
  expect(await worker.get("/ready")).toEqual([200, "ready\n"]);
  await fleet.stopQueue();
  await expect.poll(() => worker.get("/ready"), long).toEqual([503, "not ready\n"]);
  expect(await worker.get("/live")).toEqual([200, "live\n"]);
  const [status, metrics] = await worker.get("/metrics");
  expect(status).toBe(200);
  expect(metrics).not.toMatch(/^mediagen_(queue_jobs|credits_out)\b/m);
  expect(metrics).toContain("mediagen_events_total{");
  expect((await fleet.run("failed", "list"))[0]).toBe(1);
  const from = performance.now();
  worker.kill("SIGTERM");
  const code = await worker.ended;
  const tookMs = Math.round(performance.now() - from);
  console.log(`${fleet.name}: SIGTERM without the queue's server: ${tookMs} ms, exit code ${code}`);
  expect(tookMs).toBeLessThan(15_000);
  expect(code).toBe(fleet.name === "BullMQ" ? 1 : 0);
  expect(worker.lines.some(({ event }) => event === "queue")).toBe(true);
});

test("settings that are not valid are all named, and nothing starts", async () => {
  await using fleet = await createDeployment(startBullmqServer);
  const env = { PER_SECOND: "many", PORT: "-1", QUEUE_URL: "mysql://user:secret@127.0.0.1", ALLOW_HTTP: "yes" };
  const [code, text] = await fleet.runWith(env, "worker");
  expect(code).toBe(2);
  expect(text.trim().split("\n")).toEqual([
    "QUEUE_URL is not valid. Use a URL that begins with redis://, rediss:// or postgres://.",
    'ALLOW_HTTP "yes" is not valid. Use true or false.',
    'PER_SECOND "many" is not valid. Use a number from 0.1 to 10000.',
    'PORT "-1" is not valid. Use a number from 0 to 65535.',
  ]);
  expect(await fleet.runWith({ MEDIAGEN_BASE_URL: "" }, "worker")).toEqual([
    2,
    expect.stringMatching(/^createMediaGen: baseUrl is missing[^\n]*\n$/),
  ]);
});

test("orders whose ids or forms are not valid are not added", async () => {
  await using fleet = await createDeployment(startBullmqServer);
  const [good] = createOrders(1);
  const orders = [
    good,
    { ...good, id: "../x" },
    { ...good, id: "17" },
    { id: "a", model: "imgmodelz", form: { prompt: "a fox", size: 1 } },
  ];
  const [code, text] = await fleet.runWith({}, "submit", JSON.stringify(orders));
  expect(code).toBe(2);
  expect(text).toMatch(/^\.\.\/x: an id is [^\n]*\n17: an id is [^\n]*\na: size \w+\nNo order was added\.\n$/);
  expect(text).not.toContain("fox");
  // An app gets the same from the engine.
  const engine = await openEngine(readSettings({ QUEUE_URL: fleet.queueUrl }));
  await expect(engine.submit(createOrders(1).map((order) => ({ ...order, id: "../x" })))).rejects.toThrow("an id is");
  expect((await engine.depths())["generate"]).toMatchObject({ waiting: 0, delayed: 0 });
  await engine.close();
});
