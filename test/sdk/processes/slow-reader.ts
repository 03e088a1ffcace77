// Fetches the results of each task several times, and reads each piece late, so that connections
// close while it reads.
import { setTimeout as pause } from "node:timers/promises";
import { blobs, createMediaGen } from "@mediagen/sdk";
import { download } from "@mediagen/sdk/node";

const [baseUrl, directory = "", ...taskids] = process.argv.slice(2);
const media = createMediaGen({ baseUrl, apiKey: "sk-canary", retries: 0 });
const onProgress = () => pause(1);
let ended = 0;
for (const taskid of taskids) {
  for (let round = 0; round < 6; round++) {
    const task = media.image.task(taskid);
    await download(task, directory, { overwrite: true, onProgress }).catch(() => undefined);
    await blobs(task, { onProgress }).catch(() => undefined);
    ended += 2;
  }
}
console.log(ended);
