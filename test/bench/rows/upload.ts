import { mkdir, open, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { inChild, watchMemory, type Measurement } from "../child.ts";
import { createClient, nodeSdk, webSdk } from "../clients.ts";
import { startDoubles } from "../doubles.ts";
import { aimOf, inTurn, type Aim, type Row, type Table } from "../table.ts";
import { newTaskid } from "../taskid.ts";

interface Given {
  readonly client: string;
  readonly base: string;
  readonly path: string;
}

const names = [nodeSdk, webSdk, "raw fetch", "replicate", "@fal-ai/client", "@runwayml/sdk", "openai"];
const mb = 1024 * 1024;
const slow = 60e6;

const whyNode = "V8 gives back the pieces that were sent only once there are some 64 MB of them";
const whyPlain = "a form's body is read by the engine's fetch, which takes it in faster than a slow server reads";

export const row: Row = {
  title: "An upload from disk",
  what: "A file of 64 and of 512 MiB to a server that reads as fast as it can, and to one that reads 60 MB/s. Memory is the process's peak (VmHWM) above what it had after one query. @fal-ai/client sends a file of more than 90 MB in pieces of 10 MB; lumaai sends none.",
  limit: "a piece of the file at a time; on the slow server, the size divided by 60 MB/s: 1.1 s and 8.9 s.",
  async measure(scale) {
    const doubles = await startDoubles();
    const folder = new URL("../../../out/bench/", import.meta.url);
    await mkdir(folder, { recursive: true });
    const tables: Table[] = [];
    const aims: Aim[] = [];
    for (const [size, speed] of [
      [64, Infinity],
      [64, slow],
      [512, Infinity],
      [512, slow],
    ] as const) {
      const bytes = scale(size) * mb;
      const path = fileURLToPath(new URL(`${size}.gif`, folder));
      await sparseFile(path, bytes);
      const lines = await inTurn(names, scale(3), async (client) => {
        await doubles.set({ bytesPerSecond: speed });
        const figures = await inChild("upload", { client, base: doubles.base, path } satisfies Given);
        const seen = await doubles.seen();
        if (seen.bytes < bytes) throw new Error(`only ${seen.bytes} bytes came of ${bytes}`);
        return { ...figures, bodiesWithoutLength: seen.bodiesWithoutLength };
      });
      const title = `${size} MiB, ${speed === Infinity ? "a fast server" : "a server that reads 60 MB/s"}`;
      tables.push({
        title,
        columns: [
          { key: "peakMb", label: "peak memory, MB" },
          { key: "seconds", label: "time, s", digits: 2 },
          { key: "bodiesWithoutLength", label: "bodies without Content-Length" },
        ],
        lines,
      });
      for (const line of lines.filter(({ name }) => name === nodeSdk || name === webSdk)) {
        aims.push(
          aimOf(
            `peak memory, ${title}`,
            line,
            "peakMb",
            { atMost: 64, note: line.name === nodeSdk ? whyNode : whyPlain },
            " MB",
          ),
        );
        aims.push(aimOf(`bodies without Content-Length, ${title}`, line, "bodiesWithoutLength", { atMost: 0 }));
      }
      await rm(path);
    }
    doubles.stop();
    return { tables, aims };
  },
};

export const measurement: Measurement<Given> = async ({ client: name, base, path }) => {
  const client = await createClient(name, { base });
  await client.query(newTaskid(0, 0));
  const peak = watchMemory();
  const begin = performance.now();
  await client.upload?.(path);
  return { peakMb: peak(), seconds: (performance.now() - begin) / 1_000 };
};

/** A file that reads as a GIF of zeros, and takes no room. */
async function sparseFile(path: string, bytes: number): Promise<void> {
  const file = await open(path, "w");
  await file.write("GIF89a");
  await file.truncate(bytes);
  await file.close();
}
