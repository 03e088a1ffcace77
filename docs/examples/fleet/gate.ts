import { setTimeout as sleep } from "node:timers/promises";
import { ServiceError } from "@mediagen/sdk/node";
import type { Fleet } from "./fleet.ts";
import { log, logFailure } from "./log.ts";
import type { Settings } from "./settings.ts";

type Reason = "creditsOut" | "keyRejected"; // why no worker generates
/** The service rejects the key, or no request can carry it. */
export const isOfKey = (error: unknown) =>
  [401, 403].includes(Object(error).status) ||
  Object(error).issues?.[0]?.field === "apiKey";
/**
 * Creates the gate that all generations pass. It limits the rate of this worker,
 * and can be closed for all workers.
 */
export function createGate(
  { perSecond, pauseMs }: Settings,
  fleet: Fleet,
  signal: AbortSignal,
) {
  const state = {
    closedBy: undefined as Reason | undefined,
    nextAt: 0,
    resumeAt: 0,
  };
  const waitWhile = async (isClosed: () => boolean) => {
    while (isClosed()) await sleep(200, undefined, { signal });
  };
  /** Closes the gate: for this worker at once, for the others within a second. */
  async function close(reason: Reason): Promise<Reason> {
    state.closedBy = reason;
    const sql = `insert into gate (reason, until) values ($1, now() + $2 * interval '1 ms')
      on conflict (one) do update set reason = excluded.reason, until = excluded.until`;
    await fleet.query(sql, reason, pauseMs);
    return reason;
  }
  /**
   * Closes the gate if the service rejects the key for a free query as well. Throws
   * if the service does not say.
   */
  async function isKeyRejected(): Promise<boolean> {
    try {
      await fleet.media.image.query("is-the-key-valid");
    } catch (error) {
      if (isOfKey(error)) return !!(await close("keyRejected"));
      if (!(error instanceof ServiceError) || error.code === undefined) throw error;
    }
    return false;
  }
  /**
   * Reads the gate. After a pause, a free query tries whether the key is right, and
   * orders try whether there are credits.
   */
  async function look(): Promise<void> {
    const [row] = await fleet.query<{ reason: Reason; past: boolean }>(
      "select reason, until <= now() past from gate",
    );
    state.closedBy = row?.reason;
    if (!row?.past || (row.reason === "keyRejected" && (await isKeyRejected())))
      return;
    await fleet.query("delete from gate where until <= now()");
    log("info", "resumed", { after: row.reason });
    state.closedBy = undefined;
  }
  return {
    ...{ close, isKeyRejected, closedBy: () => state.closedBy },
    /** Waits until a generation may be sent. */
    async pass(): Promise<void> {
      do {
        await waitWhile(() => state.closedBy !== undefined);
        const now = performance.now();
        state.nextAt = Math.max(
          state.nextAt + 1_000 / perSecond,
          state.resumeAt,
          now,
        );
        await sleep(state.nextAt - now, undefined, { signal });
      } while (state.closedBy || performance.now() < state.resumeAt);
    },
    /**
     * Waits until a check may be sent: a rejected key is rejected there as well.
     */
    passCheck: () => waitWhile(() => state.closedBy === "keyRejected"),
    /** Lets this worker wait for as long as the service wants after HTTP 429. */
    pause(ms = 5_000): string {
      state.resumeAt = performance.now() + ms;
      return "rateLimited";
    },
    /** Reads the gate once a second until the worker ends. */
    async watch(): Promise<void> {
      for (; !signal.aborted; await sleep(1_000))
        await look().catch((error: unknown) => logFailure("gate", error));
    },
  };
}
