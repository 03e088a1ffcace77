// #region input
import { writeFile } from "node:fs/promises";
import { planBatch, runBatch } from "@mediagen/batch";

const lines = [
  {
    id: "fox",
    model: "imgmodelv4",
    prompt: "A fox in the snow",
    resolution: "16:9",
  },
  { id: "hare", model: "imgmodelv4", prompt: "A hare in the grass", batchsize: 3 },
  {
    id: "from-a-picture",
    model: "vidmodelv2",
    prompt: "It comes to life",
    sourceImage: "first.png",
  },
  { model: "imgmodelz", prompt: "A lighthouse at dusk" },
];
await writeFile(
  "jobs.jsonl",
  lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
);
// #endregion input

// #region run
const summary = await runBatch("jobs.jsonl", "out", {
  // what you have seen at the service; 3 is the emulator's
  statuses: { failed: [3] },
  concurrency: 4,
  generationsPerMinute: 600,
  confirm({ generations, byModel }) {
    console.log(`${generations} paid generations`, byModel);
    return generations < 100;
  },
  onLine({ id, state, files, error }) {
    console.log(
      `${id}: ${state} ${error?.message ?? files.map(({ name }) => name).join(", ")}`,
    );
  },
});
console.log(`${summary.succeeded} of ${summary.lines} lines have results`);
// #endregion run

// #region part
const plan = await planBatch("jobs.jsonl", "out", {
  only: ["fox", "hare"],
  retryFailed: true,
});
console.log(`${plan.generations} paid generations, ${plan.retries} of them again`);
for (const [model, { amount, unit, open }] of Object.entries(plan.byModel))
  console.log(`${model}: ${open > 0 ? "at least " : ""}${amount} ${unit}s`);

await runBatch("jobs.jsonl", "out", { limit: 5 });
// #endregion part
