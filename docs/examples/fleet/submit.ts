import { json } from "node:stream/consumers";
import { openEngine } from "./engine.ts";
import { findMistakes, type Order } from "./order.ts";
import { readSettings } from "./settings.ts";

// `node submit.ts < orders.json` adds orders. Your app does the same with `openEngine` and `engine.submit`.
// The cast: each order is checked.
const orders = (await json(process.stdin)) as readonly Order[];
const mistakes = findMistakes(orders);
if (mistakes.length > 0) {
  console.error(`${mistakes.join("\n")}\nNo order was added.`);
  process.exit(2);
}
const engine = await openEngine(readSettings());
await engine.submit(orders);
await engine.close();
console.log(`${orders.length} orders added`);
