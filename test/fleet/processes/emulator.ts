// The service in a process of its own. It sends its address to whoever forked it, and answers each message with what it has seen.
import { createEmulator, listen } from "@mediagen/emulator/node";
import type { Seen } from "../fleet.ts";

const emulator = createEmulator({ clock: { speed: 1 }, credits: 1e9, behaviour: { callsKept: 1e6 } });
const { baseUrl } = await listen(emulator);
process.send?.({ baseUrl });
process.on("message", () => {
  const { calls, charges, tasks } = emulator;
  const queries = calls.filter(({ operation }) => operation?.startsWith("query")).length;
  const paid = new Set(charges.map(({ taskid }) => taskid));
  const seen: Seen = {
    calls: calls.length,
    queries,
    faulty: calls.filter(({ fault }) => fault !== undefined).length,
    charges: charges.length,
    tasks: tasks.flatMap(({ prompt, taskid, createdAt }) =>
      paid.has(taskid) ? [{ id: prompt, taskid, createdAt }] : [],
    ),
  };
  process.send?.(seen);
});
process.once("disconnect", () => process.exit());
