// #region use
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkStore, createMediaGen } from "@mediagen/sdk/node";
import { sqliteStore } from "./stores/sqlite-store.ts";

const media = createMediaGen({ store: sqliteStore("generations.sqlite") });
const task = await media.image.generate("imgmodelv4", { prompt: "A fox in the snow" }, { idempotencyKey: "order-43" });
console.log(`order-43 is ${task.taskid}`);
// #endregion use

// #region check
const path = join(await mkdtemp(join(tmpdir(), "check-")), "empty.sqlite");
const { failures, unproven } = await checkStore(() => sqliteStore(path));
console.log(failures.length === 0 ? "the store passes" : failures.join("\n"));
console.log(unproven.join("\n")); // what only you can ensure
// #endregion check
