// Appends so many intents to a journal, under ids that begin with a name.
import { fileJournal } from "@mediagen/sdk/node";

const [path = "", name, count] = process.argv.slice(2);
const journal = fileJournal(path);
for (let i = 0; i < Number(count); i++) {
  await journal.append({
    type: "intent",
    id: `${name}-${i}`,
    at: 0,
    kind: "image",
    model: "m",
    origin: "o",
    results: 1,
    owner: name ?? "",
    until: 0,
  });
}
