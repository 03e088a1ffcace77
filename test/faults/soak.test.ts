import { expect, test } from "vitest";
import { soak } from "./soak.ts";

/** `npm run test:all -- soak` */
const isLong = import.meta.env.MODE === "soak";
const [generations, kills] = isLong ? [2_000, 5] : [40, 1];
const print = (line: string) => (isLong ? console.log(line) : undefined);

test(
  "of generations with a quarter of all calls faulty, in a process that is killed, each is paid once or unknown, and downloaded",
  {
    timeout: 3_600_000,
  },
  async () => {
    const report = await soak({ generations, kills, print });
    print(JSON.stringify(report));
    expect(report).toMatchObject({ paidTwice: [], lost: [], notWhole: [], paidAtLast: generations });
    expect(report.unknown).toBeGreaterThan(2);
  },
);
