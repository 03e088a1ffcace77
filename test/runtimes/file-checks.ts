import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { blobs, download, fileFrom, fileStore } from "@mediagen/sdk/node";
import { type Checks, digest, nameOf, same, thrownBy } from "./conformance.ts";

/** Further checks of the Node entry point: what it does with files. */
export const fileChecks: Checks = {
  "a file from disk arrives in full": async ({ client, directory, seen }) => {
    const path = join(directory, "first.gif");
    await writeFile(path, Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(1_000_000, 7)]));
    await client().video.generate("vidmodelv2", {
      prompt: "A fox",
      sourceImage: await fileFrom(path),
    });
    const files = (await seen()).tasks[0]?.files.map(({ name, type, size }) => [name, type, size]);
    same(files, [["first.gif", "image/gif", 1_000_006]]);
  },
  "results are downloaded in full, a cut one too, and no part is left": async ({
    client,
    directory,
    next,
  }) => {
    const task = await client().image.generate("imgmodelv4", { prompt: "A fox", batchsize: 2 });
    await task.wait();
    await next("downloadCut", "download");
    const files = await download(task, join(directory, "results"));
    const inMemory = (await blobs(task)).map(async (blob) => [
      blob.size,
      blob.type,
      await digest(blob),
    ]);
    const onDisk = files.map(({ bytes, type, sha256 }) => [bytes, type, sha256]);
    same(onDisk, await Promise.all(inMemory));
    const names = files.map(({ path }) => path.split(/[/\\]/).at(-1));
    same((await readdir(join(directory, "results"))).sort(), names.sort());
  },
  "a store in a directory gives back the task of a key, and reports a lost generation": async (
    stage,
  ) => {
    const open = () => stage.client({ store: fileStore(join(stage.directory, "store")) });
    const generate = (idempotencyKey: string) =>
      open().image.generate("imgmodelz", { prompt: "A fox" }, { idempotencyKey });
    const first = await generate("order-1");
    await stage.next("resetAfter", "generate");
    for (const _ of [1, 2])
      same(nameOf(await thrownBy(generate("order-2"))), "OutcomeUnknownError");
    same((await generate("order-1")).taskid, first.taskid);
    const { tasks, unknown } = await open().recover();
    const taskids = tasks.map(({ taskid }) => taskid);
    const keys = unknown.map(({ idempotencyKey }) => idempotencyKey);
    same([taskids, keys, (await stage.seen()).charged], [[first.taskid], ["order-2"], 2]);
  },
};
