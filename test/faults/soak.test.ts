import { expect, test } from "vitest";
import { soak } from "./soak.ts";

// `npm run soak` does the same with 2,000 generations and five kills.
test("40 generations, a quarter of all calls faulty, and the process killed meanwhile: each is paid once or listed as unknown, and downloaded whole", async () => {
  const report = await soak({ generations: 40, kills: 1, print: () => undefined });
  expect(report).toMatchObject({ paidTwice: [], lost: [], notWhole: [], paidAtLast: 40 });
  expect(report.unknown).toBeGreaterThan(2);
});
