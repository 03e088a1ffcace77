import { mkdir, rm, truncate, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { inChild, watchMemory, type Measurement } from "../child.ts";
import { createClient, nodeSdk, webSdk } from "../clients.ts";
import { newTaskid, startDoubles } from "../doubles.ts";
import { inTurn, type Row } from "../table.ts";

interface Given {
  readonly client: string;
  readonly base: string;
  readonly path: string;
}

const names = [nodeSdk, webSdk, "replicate", "openai"];
const size = 512;

export const row: Row = {
  title: "An upload from disk",
  what: `A file of ${size} MiB. Memory is the process's peak above what it had after one query.`,
  notFirst:
    "openai has the complete file in memory, as its peak shows. The Node entry point reads and sends 48 KiB at a time.",
  tables: [
    {
      title: "Memory and time",
      columns: [
        { key: "peakMb", label: "peak memory, MB", better: "less" },
        { key: "seconds", label: "time, s", digits: 2, better: "less" },
      ],
    },
  ],
  async measure(scale) {
    const doubles = await startDoubles();
    const directory = new URL("../../../out/bench/", import.meta.url);
    await mkdir(directory, { recursive: true });
    const path = fileURLToPath(new URL(`${size}.gif`, directory));
    const bytes = scale(size) * 1024 * 1024;
    // It reads as a GIF of zeros, and takes no room.
    await writeFile(path, "GIF89a");
    await truncate(path, bytes);
    const lines = await inTurn(names, scale(3), async (client) => {
      await doubles.set({});
      const figures = await inChild("upload", { client, base: doubles.base, path } satisfies Given);
      const seen = await doubles.seen();
      if (seen.bytes < bytes) throw new Error(`only ${seen.bytes} bytes of ${bytes} arrived`);
      return figures;
    });
    await rm(path);
    doubles.stop();
    return [lines];
  },
};

export const measurement: Measurement<Given> = async ({ client: name, base, path }) => {
  const client = await createClient(name, { base });
  await client.query?.(newTaskid(0, 0));
  const peak = watchMemory();
  const begin = performance.now();
  await client.upload?.(path);
  return { peakMb: peak(), seconds: (performance.now() - begin) / 1_000 };
};
