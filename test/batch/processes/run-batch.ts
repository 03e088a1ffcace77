// Runs a batch and prints its summary and its memory in MB.
import { runBatch } from "@mediagen/batch";

const { input, out, options } = JSON.parse(process.argv[2] ?? "") as {
  input: string;
  out: string;
  options: object;
};
let heldMB = 0;
const summary = await runBatch(input, out, {
  apiKey: "emulator-key",
  ...options,
  onProgress({ lines, succeeded }) {
    if (lines !== succeeded) return;
    globalThis.gc?.();
    heldMB = process.memoryUsage().heapUsed / 1e6;
  },
});
console.log(
  JSON.stringify({ ...summary, heldMB, residentMB: process.resourceUsage().maxRSS / 1e3 }),
);
