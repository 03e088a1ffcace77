// Writes one revision after the other of each entry, next to others that do the same, and prints the revisions that it has written.
import { fileStore, type GenerationEntry } from "@mediagen/sdk/node";

const [directory = "", attempt = "", revisions = "", ...ids] = process.argv.slice(2);
const store = fileStore(directory);
const facts = {
  version: 1,
  kind: "image",
  model: "m",
  origin: "o",
  resultCount: 1,
  createdAt: 0,
  updatedAt: 0,
} as const;
const written: string[] = [];
for (const id of ids) {
  let follows: string | undefined;
  for (let revision = 1; revision <= Number(revisions);) {
    const entry: GenerationEntry = { ...facts, id, revision, attempt, follows, state: "claimed" };
    const result = await store.write(entry);
    if (result.written) written.push(`${id} ${revision}`);
    follows = result.written ? attempt : result.current?.attempt;
    revision = 1 + (result.written ? revision : (result.current?.revision ?? 0));
  }
}
console.log(JSON.stringify(written));
