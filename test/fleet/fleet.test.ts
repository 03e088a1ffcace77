import { expect, test } from "vitest";
import { runFleet } from "./fleet.ts";

// `npm run test:all -- fleet`: on real servers, with processes that are really killed. Each order is submitted twice.
const once = { paidTwice: [], lost: [], deliveredAndUnknown: [], notDoneAtLast: [] };
const orders = Number(process.env["ORDERS"] ?? 400);

test.for(["pg-boss", "bullmq"] as const)(
  "%s: a worker is killed each second, and a tenth of all calls is faulty",
  async (queue) => {
    const report = await runFleet({ queue, orders, workers: 4, faultyShare: 0.1, killEveryMs: 1_000 });
    console.log(queue, JSON.stringify(report));
    expect(report).toMatchObject({ ...once, paidAtLast: orders - (report.states["failed"] ?? 0) });
    expect(report.outbox).toBe(report.paidAtLast);
    expect(report.kills).toBeGreaterThan(2);
    expect(report.states["unknown"]).toBeGreaterThan(0);
    expect(report.faultyShare).toBeGreaterThan(0.05);
  },
);

test.for(["pg-boss", "bullmq"] as const)("%s: PostgreSQL is killed in the middle", async (queue) => {
  const run = { queue, orders, workers: 2, faultyShare: 0.1, killEveryMs: 1_000, crashesPostgres: true };
  const report = await runFleet(run);
  console.log(queue, JSON.stringify(report));
  expect(report).toMatchObject({ ...once, paidAtLast: orders - (report.states["failed"] ?? 0) });
});

test("the key is rejected in the middle, and no order fails", async () => {
  const report = await runFleet({
    queue: "pg-boss",
    orders,
    workers: 2,
    faultyShare: 0,
    killEveryMs: 0,
    rotatesKey: true,
  });
  console.log(JSON.stringify(report));
  expect(report).toMatchObject({ ...once, states: { done: orders }, paidAtLast: orders });
});
