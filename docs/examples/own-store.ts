// #region use
import { DatabaseSync } from "node:sqlite"; // Node 22.13 or later
import { createMediaGen } from "@mediagen/sdk/node";
import { checkStore } from "@mediagen/stores/check";
import { sqliteStore } from "@mediagen/stores/sqlite";

const media = createMediaGen({
  store: sqliteStore(new DatabaseSync("generations.sqlite")),
});
const task = await media.image.generate(
  "imgmodelv4",
  { prompt: "A fox in the snow" },
  { idempotencyKey: "order-43" },
);
console.log(`order-43 is ${task.taskid}`);
// #endregion use

// #region check
const database = new DatabaseSync(":memory:"); // Pass your own store here.
const { failures, unproven } = await checkStore(() => sqliteStore(database));
console.log(failures.length === 0 ? "the store passes" : failures.join("\n"));
console.log(unproven.join("\n")); // what only you can ensure
// #endregion check
