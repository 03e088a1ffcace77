// Runs a batch and prints its summary, and how much memory it took: as the emulator's user, on a port.
import { runBatch } from "@mediagen/sdk/node";

const { input, out, options } = JSON.parse(process.argv[2] ?? "") as { input: string; out: string; options: object };
const summary = await runBatch(input, out, { apiKey: "emulator-key", ...options });
console.log(JSON.stringify({ ...summary, residentMB: Math.round(process.resourceUsage().maxRSS / 1024) }));
