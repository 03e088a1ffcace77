import { expect, test } from "vitest";
import { queues } from "./deployment.ts";
import { runFleet } from "./fleet.ts";

// `npm run test:weekly -- fleet`: on real servers, with processes that are really killed. Each
// order is submitted twice.
const once = { paidTwice: [], lost: [], deliveredAndUnknown: [] };
const orders = Number(process.env["ORDERS"] ?? 400);

test.for(queues)(
  "%s: a worker is killed each second, and a tenth of all calls is faulty",
  async (queue) => {
    const report = await runFleet({
      queue,
      orders,
      workers: 4,
      faultyShare: 0.1,
      killEveryMs: 1_000,
    });
    console.log(queue, JSON.stringify(report));
    const { failed = 0 } = report.states;
    // Once the unknown orders are resolved, all but the failed ones are done, paid once, and in the
    // outbox.
    const paidAtLast = orders - failed;
    expect(report).toMatchObject({ ...once, paidAtLast, reported: paidAtLast });
    expect(report.statesAtLast["done"]).toBe(paidAtLast);
    expect(report.kills).toBeGreaterThan(2);
    expect(report.states["unknown"]).toBeGreaterThan(0);
    expect(report.faultyShare).toBeGreaterThan(0.05);
  },
);

test.for(queues)("%s: PostgreSQL is killed in the middle", async (queue) => {
  const run = {
    queue,
    orders,
    workers: 2,
    faultyShare: 0.1,
    killEveryMs: 1_000,
    middle: "crash",
  } as const;
  const report = await runFleet(run);
  console.log(queue, JSON.stringify(report));
  const { failed = 0 } = report.states;
  expect(report).toMatchObject({ ...once, paidAtLast: orders - failed, reported: orders - failed });
});

test("the key is rejected in the middle, and no order fails", async () => {
  const run = {
    queue: "pg-boss",
    orders,
    workers: 2,
    faultyShare: 0,
    killEveryMs: 0,
    middle: "key",
  } as const;
  const report = await runFleet(run);
  console.log(JSON.stringify(report));
  expect(report).toMatchObject({ ...once, states: { done: orders }, paidAtLast: orders });
});
