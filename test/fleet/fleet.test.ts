import { expect, test } from "vitest";
import { startBullmq, startPgBoss } from "./engines.ts";
import { runFleet } from "./fleet.ts";

// `npm run test:all -- fleet`: on real servers, with processes that are really killed, so it takes minutes.
test.for([
  ["BullMQ", startBullmq],
  ["pg-boss", startPgBoss],
] as const)("%s: 2,000 orders, 4 workers, one killed every second, a tenth of all calls faulty", async ([, start]) => {
  await using engine = await start();
  const print = (line: string) => console.log(`${engine.name}: ${line}`);
  const report = await runFleet(engine, {
    orders: 2_000,
    workers: 4,
    perSecond: 100,
    faultyShare: 0.1,
    killEveryMs: 1_000,
    print,
  });
  print(JSON.stringify(report));
  // Each order is done, or listed as unknown or refused; once the unknown ones are settled, all but the refused are paid exactly once.
  expect(report).toMatchObject({ paidTwice: [], lost: [], notDoneAtLast: [], paidAtLast: 2_000 - report.refused });
  expect(report.kills).toBeGreaterThan(10);
  expect(report.unknown.all).toBeGreaterThan(20);
  expect(report.faultyShare).toBeGreaterThan(0.05);
});
