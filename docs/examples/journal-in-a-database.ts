// #region journal
import { DatabaseSync } from "node:sqlite";
import { createJournal, createMediaGen, type Journal, type JournalEntry } from "@mediagen/sdk/node";

/** A journal in a table: its key gives the appends of all processes one order. */
function databaseJournal(path: string): Journal {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec(`
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS journal (number INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL);
  `);
  const insert = database.prepare("INSERT INTO journal (entry) VALUES (?)");
  const select = database.prepare("SELECT entry FROM journal ORDER BY number");
  return createJournal({
    append: async (entry) => void insert.run(JSON.stringify(entry)),
    // The cast: the table holds what was appended.
    entries: async () => select.all().map(({ entry }) => JSON.parse(String(entry)) as JournalEntry),
  });
}
// #endregion journal

// #region use
const media = createMediaGen({ journal: databaseJournal("media.sqlite") });
const task = await media.image.generate("imgmodelv4", { prompt: "A fox in the snow" }, { once: "order-43" });
console.log(`order-43 is ${task.taskid}`);
// #endregion use
