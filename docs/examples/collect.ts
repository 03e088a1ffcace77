import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createMediaGen, download } from "@mediagen/sdk/node";

const media = createMediaGen({
  // what you have seen at the service; 3 is the emulator's
  statuses: { failed: [3] },
});

for (const name of await readdir("tasks")) {
  const task = media.task(JSON.parse(await readFile(`tasks/${name}`, "utf8")));
  try {
    const { state } = await task.check();
    console.log(`${task.taskid} is ${state}`);
    if (state === "succeeded") {
      // replaces a file of an earlier run
      await download(task, "out", { overwrite: true });
      await rm(`tasks/${name}`);
    } else if (state === "failed") {
      await mkdir("failed", { recursive: true });
      await rename(`tasks/${name}`, `failed/${name}`);
    } else {
      await writeFile(`tasks/${name}`, JSON.stringify(task));
    }
  } catch (error) {
    console.log(`${task.taskid}: ${error}`); // the next run checks it again
  }
}
