import { soak } from "../test/faults/soak.ts";

/** Generates with faults in a process that is killed repeatedly. Fails if a generation is billed twice, lost, or not downloaded completely. */
export default async function run([generations = "2000", kills = "5"]: readonly string[]): Promise<void> {
  const from = performance.now();
  const seconds = () => ((performance.now() - from) / 1000).toFixed(0).padStart(4);
  const report = await soak({
    generations: Number(generations),
    kills: Number(kills),
    print: (line) => console.log(`${seconds()} s  ${line}`),
  });
  console.log(report);
  const { paidTwice, lost, notWhole, paidAtLast } = report;
  if (paidTwice.length + lost.length + notWhole.length > 0 || paidAtLast !== report.generations) process.exitCode = 1;
}
