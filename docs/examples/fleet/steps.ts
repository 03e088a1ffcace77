import * as sdk from "@mediagen/sdk/node";
import type { Fleet, Step } from "./fleet.ts";
import { createGate, isOfKey } from "./gate.ts";
import { count, log, logFailure } from "./log.ts";
import { saveResults } from "./results.ts";
import type { Settings } from "./settings.ts";

// A person has to look at a task that is unfinished for longer.
const maxAgeMs = 30 * 60_000;
// A generation with another outcome is tried again.
const stateAfter: Readonly<Record<string, "unknown" | "failed">> = {
  unknown: "unknown",
  rejected: "failed",
};
type Signals = Readonly<Record<Step, AbortSignal>>; // Each aborts one of the steps.
/**
 * Creates the steps of a worker. The stored state of the order decides what a step
 * does, so it may run twice.
 */
export function createSteps(settings: Settings, fleet: Fleet, signals: Signals) {
  const gate = createGate(settings, fleet, signals.check);
  /**
   * Reads what becomes of an order from its error. Closes the gate if all orders
   * would fail alike.
   */
  async function outcomeOf(error: unknown): Promise<string> {
    if (!(error instanceof sdk.MediaGenError))
      return signals.generate.aborted ? "stopped" : "threw";
    // The form is not valid, an earlier generation had the same id and another
    // form, or no request can carry the key.
    if (error instanceof sdk.InvalidRequestError)
      return isOfKey(error) ? gate.close("keyRejected") : "rejected";
    // Also if its code leaves open whether there is a task: the next orders would
    // be as unknown.
    const isKey = isOfKey(error) && (await gate.isKeyRejected());
    if (error.billed !== "no") return "unknown";
    if (error instanceof sdk.InsufficientCreditsError)
      return gate.close("creditsOut");
    if (error instanceof sdk.RateLimitError) return gate.pause(error.retryAfterMs);
    if (isKey) return "keyRejected";
    return error.isRetryable ? "again" : "rejected";
  }
  return {
    gate,
    async generate(id: string) {
      await gate.pass();
      const order = await fleet.get(id);
      if (order?.state !== "waiting")
        return order?.state === "pending" ? 0 : undefined;
      try {
        const task = await fleet.media.generate(order.model, order.form, {
          idempotencyKey: id,
          signal: signals.generate,
        });
        // Others may have taken this worker for dead, and the order for unknown.
        await fleet.move(id, ["waiting", "unknown"], "pending", {
          task: task.toJSON(),
        });
        count("created");
        return 0;
      } catch (error) {
        const outcome = await outcomeOf(error).catch(() => "threw");
        const state = stateAfter[outcome];
        if (state) log("error", outcome, { step: "generate", order: id });
        else logFailure(outcome, error, { step: "generate", order: id });
        if (!state) throw error;
        await fleet.move(id, ["waiting"], state, {
          reason: (error as Error).message,
        });
        return undefined;
      }
    },
    async check(id: string) {
      await gate.passCheck();
      const order = await fleet.get(id);
      if (order?.state !== "pending" || !order.task) return undefined;
      const task = fleet.media.task(order.task);
      const about = { step: "check", order: id };
      const isOld = Date.now() - (task.createdAt ?? 0) >= maxAgeMs;
      const fail = async (outcome: string) => {
        log("error", outcome, about);
        await fleet.move(id, ["pending"], "failed", {
          reason: `${task.taskid}: ${outcome}`,
        });
        return undefined;
      };
      try {
        const { state, afterMs } = await task.check({ signal: signals.check });
        if (state === "failed") return await fail(state);
        if (state === "pending" && isOld) return await fail("overdue");
        const place = `${settings.results}/${id}`;
        const results =
          state === "succeeded"
            ? await saveResults(place, task, signals.check)
            : null;
        await fleet.move(id, ["pending"], results ? "done" : "pending", {
          task: task.toJSON(),
          results,
        });
        count(state);
        return results ? undefined : afterMs;
      } catch (error) {
        const isKey =
          isOfKey(error) && (await gate.isKeyRejected().catch(() => true));
        // The service responds, and gives no task or no result: it may have been
        // deleted.
        if (
          isOld &&
          !isKey &&
          error instanceof sdk.ServiceError &&
          !error.isRetryable
        )
          return fail("overdue");
        const event = signals.check.aborted ? "stopped" : "threw";
        logFailure(isKey ? "keyRejected" : event, error, about);
        throw error;
      }
    },
  };
}
