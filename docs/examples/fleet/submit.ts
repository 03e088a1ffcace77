import { json } from "node:stream/consumers";
import { validate } from "@mediagen/sdk/node";
import { openEngine } from "./engine.ts";
import type { Order } from "./order.ts";
import { readSettings } from "./settings.ts";

// `node submit.ts < orders.json` adds orders. Your app does the same with `engine.submit`.
// The cast: each order is checked below.
const orders = (await json(process.stdin)) as readonly Order[];
const wrong = orders.flatMap(({ id, model, form }) => [
  // It becomes the name of a directory.
  ...(/^[\w-][\w.-]{0,99}$/.test(id) ? [] : [`${id}: an id is 1 to 100 letters, digits, "-", "_" or "."`]),
  ...validate(model, form).map(({ field, code }) => `${id}: ${field} ${code}`),
]);
if (wrong.length > 0) {
  console.error(`${wrong.join("\n")}\nNo order was added.`);
  process.exit(2);
}
const engine = await openEngine(readSettings());
await engine.submit(orders);
await engine.close();
console.log(`${orders.length} orders added`);
