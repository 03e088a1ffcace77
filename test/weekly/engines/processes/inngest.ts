// Runs the function of the docs, twice for one order: as Inngest does if a worker dies before it
// has reported.
import { setTimeout } from "node:timers/promises";
import { InngestTestEngine, mockCtx } from "@inngest/test";
import { makeVideo } from "../out/engines/inngest.ts";

const run = async () => {
  const { result, error } = await new InngestTestEngine({
    function: makeVideo,
    events: [{ name: "video/ordered", data: { order: "order-1", prompt: "A fox" } }],
    // The engine of the tests ends at the first sleep.
    transformCtx: (given) => {
      const context = mockCtx(given);
      Object.assign(context.step, { sleep: (_: string, ms: number) => setTimeout(ms) });
      return context;
    },
  }).execute();
  return { result, error };
};
console.log(JSON.stringify([await run(), await run()]));
