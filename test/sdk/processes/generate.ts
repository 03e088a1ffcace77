// Generates one task for each key, with the key in the prompt, and prints what came of it. It dies at the point that it is
// told, at the second key; with `at` it begins each key at a common time, so that processes race.
import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { createJournal, createMediaGen, fileJournal } from "@mediagen/sdk/node";

const { baseUrl, path, keys, point, at } = JSON.parse(process.argv[2] ?? "") as {
  baseUrl: string;
  path: string;
  keys: string[];
  point?: string;
  at?: number;
};
let key = "";

function reach(reached: string): void {
  if (key === keys[1] && reached === point) process.kill(process.pid, "SIGKILL");
}

const file = fileJournal(path);
const journal = createJournal({
  async append(entry) {
    reach(`before ${entry.type}`);
    if (key === keys[1] && point === `within ${entry.type}`) {
      appendFileSync(path, JSON.stringify(entry).slice(0, 40));
      process.kill(process.pid, "SIGKILL");
    }
    await file.append(entry);
    reach(`after ${entry.type}`);
  },
  entries: () => file.entries(),
});
const media = createMediaGen({
  baseUrl,
  apiKey: "emulator-key",
  journal: point === undefined ? file : journal,
  async fetch(request) {
    reach("before sending");
    const response = await fetch(request);
    reach("after the answer");
    return response;
  },
});
for (const [index, next] of keys.entries()) {
  key = next;
  if (at !== undefined) await pause(Math.max(0, at + index * 40 - Date.now()));
  const result = await media.image.generate("imgmodelz", { prompt: key }, { once: key }).then(
    ({ taskid }) => taskid,
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
  console.log(result);
}
