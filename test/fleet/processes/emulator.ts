// The service in a process of its own. It sends its address to its parent process, and responds to the messages "count" and "see".
import { createEmulator, listen, type OwnResult } from "@mediagen/emulator/node";
import type { Seen } from "../service.ts";

/** The result of every task, a picture of one pixel: drawing pictures would take longer than everything else. */
const pixel: OwnResult = {
  extension: "png",
  type: "image/png",
  bytes: async () =>
    Uint8Array.from(
      Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "base64",
      ),
    ),
};
const emulator = createEmulator({
  clock: { speed: 1 },
  credits: 1e9,
  limits: { calls: 20_000 },
  results: () => pixel,
});
const { baseUrl } = await listen(emulator);
process.send?.({ baseUrl });
process.on("message", (asked) => process.send?.(asked === "count" ? emulator.charges.length : see()));
process.once("disconnect", () => process.exit());

function see(): Seen {
  const { calls, charges, tasks } = emulator;
  const paid = new Set(charges.map(({ taskid }) => taskid));
  return {
    charges: charges.length,
    faultyShare: calls.filter(({ fault }) => fault !== undefined).length / calls.length,
    tasks: tasks.flatMap(({ prompt, taskid, createdAt }) =>
      paid.has(taskid) ? [{ id: prompt, taskid, createdAt }] : [],
    ),
  };
}
