// Downloads the results of a task, or waits for a server that holds them back.
import { createMediaGen, download } from "@mediagen/sdk/node";

const [baseUrl, taskid = "", directory = ""] = process.argv.slice(2);
const files = await download(createMediaGen({ baseUrl, apiKey: "sk-canary" }).image.task(taskid), directory);
console.log(JSON.stringify(files));
