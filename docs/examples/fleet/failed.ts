import { openEngine } from "./engine.ts";
import { readSettings } from "./settings.ts";

// `node failed.ts list` shows what is not run again by itself; `node failed.ts retry ORDER...` runs it again.
const [verb, ...ids] = process.argv.slice(2);
if (!(verb === "list" || (verb === "retry" && ids.length > 0))) {
  console.error("Usage:\n  node failed.ts list\n  node failed.ts retry ORDER...");
  process.exit(2);
}
const engine = await openEngine(readSettings());
if (verb === "list") {
  const steps = await engine.failed();
  for (const { id, step, reason } of steps) console.log([id, step, reason].join("\t"));
  console.log(`${steps.length} failed`);
}
// Safe: an order that has a task gets it from the store, and a check sends nothing that is paid.
for (const id of verb === "retry" ? ids : []) {
  const isRetried = await engine.retry(id);
  if (!isRetried) process.exitCode = 1;
  console.log(isRetried ? `${id} runs again` : `${id} has not failed. Nothing was changed.`);
}
await engine.close();
