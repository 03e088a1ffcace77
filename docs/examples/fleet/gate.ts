import { setTimeout as sleep } from "node:timers/promises";
import { AuthenticationError, type MediaGen, ServiceError } from "@mediagen/sdk/node";
import type { Fleet } from "./fleet.ts";
import { log, logFailure } from "./log.ts";
import type { Settings } from "./settings.ts";

type Reason = "rateLimited" | "creditsOut" | "keyRejected"; // why no worker generates
export type Gate = ReturnType<typeof createGate>;
/** The service rejects the key, or no request can carry it. */
export const isOfKey = (error: unknown) =>
  error instanceof AuthenticationError || Object(error).issues?.[0]?.field === "apiKey";
/** Creates the gate that all generations pass. It limits the rate of this worker, and can be closed for all workers. */
export function createGate(fleet: Fleet, media: MediaGen, settings: Settings, signal: AbortSignal) {
  const { perSecond } = settings;
  // "mayTry" lets one order of this worker try whether there are credits.
  const state = { closedBy: undefined as Reason | undefined, mayTry: false, waiting: 0, nextAt: 0 };
  const waitWhile = async (isClosed: () => unknown) => {
    while (isClosed()) await sleep(200, undefined, { signal });
  };
  const gate = {
    closedBy: () => state.closedBy,
    /** Waits until a generation may be sent. */
    async pass(): Promise<void> {
      do {
        state.waiting++;
        await waitWhile(() => state.closedBy && !state.mayTry).finally(() => state.waiting--);
        if (state.closedBy) return void (state.mayTry = false);
        const now = performance.now();
        state.nextAt = Math.max(state.nextAt + 1_000 / perSecond, now);
        await sleep(state.nextAt - now, undefined, { signal });
      } while (state.closedBy);
    },
    /** Waits until a check may be sent: a rejected key is rejected there as well. */
    passCheck: () => waitWhile(() => state.closedBy === "keyRejected"),
    /** Closes the gate: for this worker at once, for the others within a second. */
    async close(reason: Reason, pauseMs = settings.pauseMs): Promise<Reason> {
      if (state.closedBy !== reason) log("error", reason, { pauseMs });
      if (!state.closedBy || reason !== "rateLimited") state.closedBy = reason;
      await fleet.query("select close_gate($1, $2)", reason, pauseMs);
      return reason;
    },
    /** Opens the gate for all workers: a generation was accepted, or the key is right. */
    async open(): Promise<void> {
      if (!state.closedBy || state.closedBy === "rateLimited") return;
      await fleet.query("delete from gate where reason = $1", state.closedBy);
      log("info", "resumed", { after: state.closedBy });
      state.closedBy = undefined;
    },
    /** Closes the gate if the service rejects the key for a free query as well. Throws if the service does not say. */
    async isKeyRejected(): Promise<boolean> {
      try {
        await media.image.query("is-the-key-valid");
      } catch (error) {
        if (isOfKey(error)) return !!(await gate.close("keyRejected"));
        if (!(error instanceof ServiceError) || error.code === undefined) throw error;
      }
      return false;
    },
    /** Reads the gate once a second until the worker ends. */
    async watch(): Promise<void> {
      for (; !signal.aborted; await sleep(1_000)) await look().catch((error: unknown) => logFailure("gate", error));
    },
  };
  async function look(): Promise<void> {
    type Row = { readonly reason: Reason; readonly mine: boolean };
    const [row] = await fleet.query<Row>("select * from look_at_gate($1, $2)", settings.pauseMs, state.waiting > 0);
    state.closedBy = row?.reason;
    state.mayTry = row?.reason === "creditsOut" && row.mine;
    if (row?.reason === "keyRejected" && row.mine && !(await gate.isKeyRejected())) await gate.open();
  }
  return gate;
}
