// Generates with a file of 5 MB at services that respond before they have read it, several times at
// once and in turn. Prints what the calls come to, a line for each service. What ends the process
// instead can be caught by no caller.
import { setTimeout } from "node:timers/promises";
import * as plain from "@mediagen/sdk";
import * as node from "@mediagen/sdk/node";

const { entry, services } = JSON.parse(process.argv[2] ?? "") as {
  entry: string;
  services: readonly { baseUrl: string; abortAfterMs?: number }[];
};
const { createMediaGen } = entry === "@mediagen/sdk" ? plain : node;
const png = new Blob([
  Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
  new Uint8Array(5_000_000),
]);

for (const { baseUrl, abortAfterMs } of services) {
  const media = createMediaGen({ baseUrl, apiKey: "wrong-key-0123", retries: 0 });
  const generate = async () => {
    const signal = abortAfterMs === undefined ? undefined : AbortSignal.timeout(abortAfterMs);
    try {
      const form = { prompt: "A fox", sourceImage: png };
      return (await media.video.generate("vidmodelv2", form, { signal })).taskid;
    } catch (error) {
      return (error as Error).name;
    }
  };
  const seen = new Set(await Promise.all(Array.from({ length: 12 }, generate)));
  for (let run = 0; run < 3; run++) seen.add(await generate());
  await setTimeout(50); // what comes late is still of this service
  console.log(JSON.stringify([...seen]));
}
process.exit();
