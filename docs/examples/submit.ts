import { mkdir, writeFile } from "node:fs/promises";
import { createMediaGen } from "@mediagen/sdk/node";

const media = createMediaGen();
await mkdir("tasks", { recursive: true });

for (const prompt of ["A fox runs through snow", "A lighthouse at dusk"]) {
  const task = await media.video.generate("vidmodelv2", { prompt });
  await writeFile(`tasks/${task.taskid}.json`, JSON.stringify(task));
  console.log(`${task.taskid} is saved`);
}
