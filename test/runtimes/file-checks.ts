import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { blobs, download, fileFrom, fileStore } from "@mediagen/sdk/node";
import { digest, nameOf, same, thrownBy, type Check } from "./conformance.ts";

/** What the Node entry point is held to beside: what it does with files. */
export const fileChecks: readonly Check[] = [
  {
    name: "a file from disk arrives whole",
    async run({ client, folder, seen }) {
      const path = join(folder, "first.gif");
      await writeFile(path, Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(1_000_000, 7)]));
      await client().video.generate("vidmodelv2", { prompt: "A fox", sourceImage: await fileFrom(path) });
      same(
        (await seen()).tasks[0]?.files.map(({ name, type, size }) => [name, type, size]),
        [["first.gif", "image/gif", 1_000_006]],
      );
    },
  },
  {
    name: "results are downloaded whole, a cut one too, and no part is left",
    async run({ client, folder, next }) {
      const task = await client().image.generate("imgmodelv4", { prompt: "A fox", batchsize: 2 });
      await task.wait();
      await next("downloadCut", "download");
      const files = await download(task, join(folder, "results"));
      const inMemory = await blobs(task);
      same(
        files.map(({ bytes, type, sha256 }) => [bytes, type, sha256]),
        await Promise.all(inMemory.map(async (blob) => [blob.size, blob.type, await digest(blob)])),
      );
      same((await readdir(join(folder, "results"))).sort(), files.map(({ path }) => path.split(/[/\\]/).at(-1)).sort());
    },
  },
  {
    name: "a store in a directory gives back the task of a key, and reports a lost generation",
    async run({ client, folder, next, seen }) {
      const media = () => client({ store: fileStore(join(folder, "store")) });
      const form = { prompt: "A fox" };
      const first = await media().image.generate("imgmodelz", form, { idempotencyKey: "order-1" });
      await next("resetAfter", "generate");
      same(
        nameOf(await thrownBy(media().image.generate("imgmodelz", form, { idempotencyKey: "order-2" }))),
        "OutcomeUnknownError",
      );
      const again = media();
      same((await again.image.generate("imgmodelz", form, { idempotencyKey: "order-1" })).taskid, first.taskid);
      same(
        nameOf(await thrownBy(again.image.generate("imgmodelz", form, { idempotencyKey: "order-2" }))),
        "OutcomeUnknownError",
      );
      const { tasks, unknown } = await again.recover();
      same(
        [
          tasks.map(({ taskid }) => taskid),
          unknown.map(({ idempotencyKey }) => idempotencyKey),
          (await seen()).charged,
        ],
        [[first.taskid], ["order-2"], 2],
      );
    },
  },
];
