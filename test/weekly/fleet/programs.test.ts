import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import type { Order } from "./out/fleet.ts";
import { serve } from "../../serve.ts";
import { createDeployment, createOrders, queues } from "./deployment.ts";
import { startRedis } from "./servers.ts";

const long = { timeout: 60_000 };
const [first] = createOrders(1) as [Order];
const notDone = (text: string) => [
  2,
  expect.objectContaining({ event: "notDone", message: expect.stringContaining(text) }),
];

test.for(queues)(
  "%s: orders become files, and the outbox, health and metrics report it",
  async (queue) => {
    await using fleet = await createDeployment(queue);
    expect(await fleet.submit(createOrders(3))).toEqual({ added: 3, differing: [] });
    expect(await fleet.submit(createOrders(4))).toEqual({ added: 1, differing: [] });
    const other = { ...first, form: { prompt: "another" } };
    expect(await fleet.submit([other as Order])).toEqual({ added: 0, differing: ["order-0"] });
    const app = new pg.Client(fleet.postgres.url);
    const heard: unknown[] = [];
    app.on("notification", ({ payload }) => heard.push(payload));
    await app.connect();
    await app.query("listen mediagen_outbox");
    const worker = await fleet.startWorker();
    const ids = createOrders(4).map(({ id }) => id);
    await expect.poll(() => fleet.states(), long).toEqual({ done: 4 });
    expect(await fleet.files()).toEqual(ids);
    await expect.poll(() => heard.toSorted()).toEqual(ids);
    await app.end();
    const rows = await fleet.query<{ id: string }>("delete from outbox returning id, state");
    expect(rows.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
      ids.map((id) => ({ id, state: "done" })),
    );
    expect(await worker.get("/live")).toEqual([200, "live\n"]);
    expect(await worker.get("/ready")).toEqual([200, "ready\n"]);
    const metrics = await worker.metrics();
    // What an alert looks at is there before it happens for the first time.
    for (const [event, count] of Object.entries({ created: 4, succeeded: 4, failed: 0 }))
      expect(metrics).toContain(`mediagen_events_total{event="${event}"} ${count}\n`);
    expect(metrics).toMatch(/mediagen_rows\{table="mediagen_generation_v1"\} \d/);
    expect(await worker.end()).toBeLessThan(5_000);
    expect(worker.events()).toEqual(["started", "stopping", "stopped"]);
    expect(await fleet.run("unknown list")).toEqual([0]);
    expect(await fleet.run("show order-1")).toEqual([
      0,
      expect.objectContaining({ state: "done", entry: "ended" }),
    ]);
    expect(fleet.emulator.charges).toHaveLength(4);
  },
);

test.for(queues)(
  "%s: a generation that hangs at SIGTERM is unknown, and resolved by its task",
  async (queue) => {
    await using fleet = await createDeployment(queue, { SHUTDOWN_GRACE_MS: "2000" });
    fleet.emulator.next({ fault: "hang", on: "generate" });
    await fleet.submit([first]);
    const worker = await fleet.startWorker();
    await expect.poll(() => fleet.emulator.charges.length, long).toBe(1);
    expect(await worker.end()).toBeLessThan(6_000);
    expect(worker.lines).toContainEqual(
      expect.objectContaining({ event: "unknown", order: "order-0" }),
    );
    const [, listed] = await fleet.run("unknown list");
    expect(listed).toMatchObject({
      order: "order-0",
      model: "imgmodelz",
      state: "unknown",
      results: null,
    });
    // As of a variable of the shell that is not set: it must not be taken for "not created".
    for (const empty of ["", "image:"])
      expect(await fleet.run(`unknown resolve order-0 --taskid ${empty}`)).toEqual(
        notDone("--taskid is empty"),
      );
    const both = "unknown resolve order-0 --taskid a --not-created";
    const forget = "forget --older-than";
    for (const wrong of [
      "unknown resolve order-0",
      both,
      `${forget} 30`,
      `${forget} 999999d`,
      "failed retry",
    ])
      expect(await fleet.run(wrong)).toEqual(notDone("Usage: "));
    expect(await fleet.run("failed retry --al")).toEqual(notDone("Unknown option '--al'"));
    expect(await fleet.run("unknown resolve order-9 --not-created")).toEqual(
      notDone('no order "order-9"'),
    );
    expect(await fleet.run("unknown resolve order-0 --taskid image-made-up")).toEqual(
      notDone("image-made-up"),
    );
    const MEDIAGEN_BASE_URL = fleet.baseUrl.replace("127.0.0.1", "localhost");
    expect(await fleet.startInVain({ MEDIAGEN_BASE_URL })).toEqual(
      notDone(`orders of ${fleet.baseUrl} that have not`),
    );
    const taskid = `${fleet.emulator.tasks[0]?.taskid}`;
    expect(await fleet.run(`unknown resolve order-0 --taskid image:${taskid}`)).toEqual([
      0,
      { order: "order-0", resolved: taskid, isBilledAgain: false },
    ]);
    const next = await fleet.startWorker();
    await expect.poll(() => fleet.files(), long).toEqual(["order-0"]);
    await next.end();
    expect(fleet.emulator.charges).toHaveLength(1);
  },
);

test.for(queues)(
  "%s: an order is resolved as not created only while nothing of it exists",
  async (queue) => {
    await using fleet = await createDeployment(queue);
    await fleet.submit([first]);
    const worker = await fleet.startWorker();
    await expect.poll(() => fleet.states(), long).toEqual({ done: 1 });
    // As if a person or a bug had listed it, when queue, store and disk have forgotten it.
    if (queue === "pg-boss") await fleet.query("delete from job");
    await rm(`${fleet.directory}/out/order-0`, { recursive: true });
    await fleet.query(
      `update mediagen_generation_v1 set entry = (entry::jsonb - 'task' || '{ "state": "unknown" }')::text, state = 'unknown'`,
    );
    const taskid = fleet.emulator.tasks[0]?.taskid;
    const file = `out/order-0/${taskid}-1.png`;
    for (const [change, found] of [
      ["state = 'unknown'", `${taskid}, a check, ${file}`],
      ["task = null", `a check, ${file}`],
      ["results = null", "a check"],
    ] as const) {
      await fleet.query(`update orders set ${change}`);
      const text = `The order "order-0" was created: it has ${found}. Use --taskid.`;
      expect(await fleet.run("unknown resolve order-0 --not-created")).toEqual(notDone(text));
    }
    expect(await fleet.run("unknown list")).toEqual([
      0,
      expect.objectContaining({ checkedAt: expect.any(String) }),
    ]);
    fleet.emulator.next({ fault: "resetBefore", on: "generate" });
    await fleet.submit([{ ...first, id: "lost" }]);
    await expect.poll(worker.events, long).toContain("unknown");
    await expect.poll(worker.metrics, long).toContain('mediagen_orders{state="unknown"} 2\n');
    expect(await fleet.run("unknown resolve lost --not-created")).toEqual([
      0,
      { order: "lost", resolved: "notCreated", isBilledAgain: true },
    ]);
    await expect.poll(() => fleet.files(), long).toEqual(["lost"]);
    await worker.end();
    expect(fleet.emulator.charges).toHaveLength(2);
  },
);

test.for(queues)("%s: a task that arrives late resolves its order", async (queue) => {
  await using fleet = await createDeployment(queue);
  fleet.emulator.next({ fault: "slowBody", on: "generate" });
  const worker = await fleet.startWorker();
  await fleet.submit([first]);
  await expect.poll(() => fleet.emulator.charges.length, long).toBe(1);
  // As if others had taken the worker for dead.
  await fleet.query(`update mediagen_generation_v1 set revision = revision + 1, state = 'unknown', entry =
    (entry::jsonb || jsonb_build_object('state', 'unknown', 'revision', revision + 1))::text`);
  await fleet.query("update orders set state = 'unknown'");
  await expect.poll(() => fleet.states(), long).toEqual({ done: 1 });
  await worker.end();
  expect(worker.events()).toContain("lateTask");
  expect(fleet.emulator.charges).toHaveLength(1);
});

test.for(queues)(
  "%s: a query that hangs is aborted at SIGTERM; a second signal changes nothing",
  async (queue) => {
    await using fleet = await createDeployment(queue, { SHUTDOWN_GRACE_MS: "2000" });
    fleet.emulator.next({ fault: "hang", on: "query" });
    await fleet.submit([first]);
    const worker = await fleet.startWorker();
    await expect
      .poll(() => fleet.emulator.calls.some(({ fault }) => fault === "hang"), long)
      .toBe(true);
    expect(await worker.end()).toBeLessThan(5_000);
    const next = await fleet.startWorker();
    await expect.poll(() => fleet.files(), long).toEqual(["order-0"]);
    fleet.emulator.next({ fault: "hang", on: "generate" });
    await fleet.submit([{ ...first, id: "hangs" }]);
    await expect.poll(() => fleet.emulator.charges.length, long).toBe(2);
    next.kill("SIGINT");
    await expect.poll(() => next.get("/ready")).toEqual([503, "not ready: the worker ends\n"]);
    next.kill("SIGINT"); // As npm does, which passes on what the terminal has sent to all.
    expect(await next.ended).toBe(0);
    expect(await fleet.states()).toEqual({ done: 1, unknown: 1 });
  },
);

test.for(queues)(
  "%s: without credits, workers pause again and again until there are some",
  async (queue) => {
    await using fleet = await createDeployment(queue, { PAUSE_MS: "3000" });
    fleet.emulator.credits = 0;
    await fleet.submit(createOrders(30));
    const worker = await fleet.startWorker();
    const other = await fleet.startWorker();
    await expect.poll(worker.metrics, long).toContain('mediagen_paused{reason="creditsOut"} 1\n');
    const before = fleet.sent();
    await sleep(12_000); // In this time, two workers would send 288.
    expect(fleet.sent() - before).toBeGreaterThanOrEqual(2);
    expect(fleet.sent() - before).toBeLessThanOrEqual(60);
    fleet.emulator.credits = 1e6;
    await expect.poll(() => fleet.states(), { timeout: 120_000 }).toEqual({ done: 30 });
    await Promise.all([worker.end(), other.end()]);
    expect(fleet.emulator.charges).toHaveLength(30);
  },
);

test.for(queues)(
  "%s: after HTTP 429, a worker sends nothing for as long as the service wants",
  async (queue) => {
    await using fleet = await createDeployment(queue);
    fleet.emulator.next({ fault: "rateLimited", on: "generate", retryAfter: "8" });
    const worker = await fleet.startWorker();
    await fleet.submit([first]);
    await expect.poll(fleet.sent, long).toBe(1);
    const from = performance.now();
    await fleet.submit(createOrders(3));
    await expect.poll(fleet.sent, long).toBeGreaterThan(1);
    expect(performance.now() - from).toBeGreaterThan(7_000);
    await expect.poll(() => fleet.states(), long).toEqual({ done: 3 });
    await worker.end();
    expect(fleet.emulator.charges).toHaveLength(3);
  },
);

test.for(queues)(
  "%s: a rejected key fails no order, and work resumes when the key is right",
  async (queue) => {
    await using fleet = await createDeployment(queue, { PAUSE_MS: "2000", PER_SECOND: "4" });
    await fleet.submit(createOrders(10));
    // No request can carry an empty one.
    await fleet.writeKey(queue === "bullmq" ? "" : "another-key");
    const worker = await fleet.startWorker();
    await expect
      .poll(() => worker.get("/ready"), long)
      .toEqual([503, "not ready: the service rejects the API key\n"]);
    expect(await worker.metrics()).toContain('mediagen_paused{reason="keyRejected"} 1\n');
    const sent = fleet.sent();
    await sleep(4_000);
    expect(fleet.sent()).toBe(sent); // Only free queries try the key.
    expect(await fleet.states()).toEqual({ waiting: 10 });
    await fleet.writeKey("emulator-key");
    await expect.poll(() => fleet.states(), { timeout: 120_000 }).toEqual({ done: 10 });
    expect(await worker.get("/ready")).toEqual([200, "ready\n"]);
    await worker.end();
    expect(worker.events()).toEqual(expect.arrayContaining(["keyRejected", "resumed"]));
    expect(fleet.emulator.charges).toHaveLength(10);
  },
);

test("a rejected key costs one order if the response leaves its outcome open", async () => {
  await using fleet = await createDeployment("pg-boss", { PER_SECOND: "1" });
  await using service = await serve((_, response) =>
    response.writeHead(401).end('{ "code": 401 }'),
  );
  const env = { MEDIAGEN_BASE_URL: service.baseUrl };
  await fleet.run("submit", { env, input: JSON.stringify(createOrders(9)) });
  const worker = await fleet.startWorker(env);
  await expect.poll(worker.metrics, long).toContain('mediagen_paused{reason="keyRejected"} 1\n');
  await expect.poll(() => fleet.states(), long).toEqual({ unknown: 1, waiting: 8 });
  await worker.end();
});

test.for(queues)("%s: an order that failed is listed, and retried by hand", async (queue) => {
  await using fleet = await createDeployment(queue);
  fleet.emulator.next({ fault: "failure", on: "generate", times: 2 });
  const prompt = "a fox that nobody may read of";
  await fleet.submit(createOrders(2).map((order) => ({ ...order, form: { prompt } }) as Order));
  const worker = await fleet.startWorker();
  await expect.poll(() => fleet.states(), long).toEqual({ failed: 2 });
  expect(await fleet.run("failed list")).toEqual([
    0,
    ...["order-0", "order-1"].map((order) =>
      expect.objectContaining({ order, reason: expect.any(String) }),
    ),
  ]);
  expect(await fleet.run("failed retry --all --reason nothing-like-it")).toEqual([
    0,
    { retried: 0, notFailed: [] },
  ]);
  expect(await fleet.run("failed retry order-0 order-9")).toEqual([
    1,
    { retried: 1, notFailed: ["order-9"] },
  ]);
  expect(await fleet.run("failed retry --all --reason 9999")).toEqual([
    0,
    { retried: 1, notFailed: [] },
  ]);
  await expect.poll(() => fleet.states(), long).toEqual({ done: 2 });
  fleet.emulator.next({ fault: "linkExpired", on: "download", times: 1_000 });
  await fleet.submit([{ ...first, id: "expired" }]);
  await expect.poll(worker.events, long).toContain("threw");
  const age =
    "update orders set task = jsonb_set(task::jsonb, '{createdAt}', '0')::text where state = 'pending'";
  const statesOfOld = () => fleet.query(age).then(fleet.states);
  await expect.poll(statesOfOld, long).toEqual({ done: 2, failed: 1 });
  fleet.emulator.next({ fault: "unknownStatus", on: "query", times: 1_000 });
  await fleet.submit([{ ...first, id: "endless" }]);
  await expect.poll(statesOfOld, long).toEqual({ done: 2, failed: 2 });
  expect(await fleet.run("failed retry --all --reason overdue")).toEqual([
    0,
    { retried: 2, notFailed: [] },
  ]);
  await worker.end();
  const log = JSON.stringify(worker.lines);
  expect(log).toMatch(
    /"rejected","step":"generate","order":"order-0".*"overdue","step":"check","order":"endless"/,
  );
  for (const secret of [prompt, fleet.emulator.client.apiKey]) expect(log).not.toContain(secret);
});

test.for(queues)(
  "%s: without PostgreSQL, a worker is not ready, logs once a second, and still ends",
  async (queue) => {
    await using fleet = await createDeployment(queue);
    const worker = await fleet.startWorker();
    const from = performance.now();
    await fleet.postgres.crash(true);
    await expect
      .poll(() => worker.get("/ready"), long)
      .toEqual([503, "not ready: PostgreSQL or Redis does not respond\n"]);
    await sleep(3_000);
    const [status, metrics] = await worker.get("/metrics");
    expect([status, /^mediagen_orders\b/m.test(metrics)]).toEqual([200, false]);
    const seconds = (performance.now() - from) / 1_000;
    const counts = Map.groupBy(worker.events(), (event) => event);
    for (const event of ["queue", "database", "gate"])
      expect(counts.get(event)?.length ?? 0).toBeLessThan(seconds + 2);
    expect((await fleet.run("failed list"))[0]).toBe(1);
    worker.kill("SIGTERM");
    await worker.ended;
    expect(["stopped", "stopped with an error", "stopped too late"]).toContain(
      worker.events().at(-1),
    );
  },
);

test("bullmq: an order that Redis has forgotten is done all the same, and paid once", async () => {
  await using fleet = await createDeployment("bullmq");
  await using redis = await startRedis(["--appendonly", "no"]);
  const env = { REDIS_URL: redis.url, ALLOW_VOLATILE_STORE: "true" };
  await fleet.run("submit", { env, input: JSON.stringify(createOrders(5)) });
  await redis.crash();
  await fleet.query(
    "update orders set touched_at = now() - interval '20 minutes' where id = 'order-0'",
  );
  const worker = await fleet.startWorker(env);
  await expect.poll(() => fleet.states(), long).toEqual({ done: 1, waiting: 4 });
  await fleet.run("submit", { env, input: JSON.stringify(createOrders(5)) });
  await expect.poll(() => fleet.states(), long).toEqual({ done: 5 });
  await worker.end();
  expect(fleet.emulator.charges).toHaveLength(5);
});
