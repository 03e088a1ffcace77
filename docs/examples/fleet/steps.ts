import * as sdk from "@mediagen/sdk/node";
import type { Fleet, RunStep, Step } from "./fleet.ts";
import { createGate, type Gate, isOfKey } from "./gate.ts";
import type { openResults } from "./results.ts";
import type { Settings } from "./settings.ts";

/** What the steps of a worker share. */
export interface Host {
  readonly settings: Settings;
  readonly fleet: Fleet;
  readonly media: sdk.MediaGen;
  readonly results: ReturnType<typeof openResults>;
  /** Each aborts one of the steps. A generation that is being sent then is of unknown outcome. */
  readonly signals: Readonly<Record<Step, AbortSignal>>;
  readonly onStep: (step: Step, order: string, outcome: string, error?: unknown) => void;
}

const maxAgeMs = 30 * 60_000; // A person has to look at a task that is unfinished for longer.
/** Creates the steps of a worker. The stored state of the order decides what a step does, so it may run twice. */
export function createSteps(host: Host): { readonly gate: Gate } & Readonly<Record<Step, RunStep>> {
  const { media, fleet, settings, results, signals, onStep } = host;
  const gate = createGate(fleet, media, settings, signals.check);
  /** Reads what becomes of an order from its error. Closes the gate if all orders would fail alike. */
  async function outcomeOf(error: unknown): Promise<string> {
    if (!sdk.MediaGenError.is(error)) return signals.generate.aborted ? "stopped" : "threw";
    // The form is not valid, an earlier generation had the same id and another form, or no request can carry the key.
    if (error instanceof sdk.InvalidRequestError) return isOfKey(error) ? gate.close("keyRejected") : "rejected";
    if (error.billed !== "no") return "unknown";
    if (error instanceof sdk.InsufficientCreditsError) return gate.close("creditsOut");
    if (error instanceof sdk.RateLimitError) return gate.close("rateLimited", error.retryAfterMs ?? 5_000);
    if (isOfKey(error) && (await gate.isKeyRejected())) return "keyRejected";
    return error.isRetryable ? "again" : "rejected";
  }
  return {
    gate,
    async generate(id) {
      await gate.pass();
      const order = await fleet.get(id);
      if (order?.state !== "waiting") return order?.state === "pending" ? 0 : undefined;
      try {
        const task = await media.generate(order.model, order.form, { idempotencyKey: id, signal: signals.generate });
        await fleet.move(id, ["waiting", "unknown"], "pending", undefined, task.toJSON());
        await gate.open();
        onStep("generate", id, "created");
        return 0;
      } catch (error) {
        const outcome = await outcomeOf(error).catch(() => "threw");
        onStep("generate", id, outcome, error);
        if (outcome !== "unknown" && outcome !== "rejected") throw error;
        await fleet.move(id, ["waiting"], outcome === "unknown" ? "unknown" : "failed", (error as Error).message);
        return undefined;
      }
    },
    async check(id) {
      await gate.passCheck();
      const order = await fleet.get(id);
      if (order?.state !== "pending" || !order.task) return undefined;
      const isOld = Date.now() - (order.task.createdAt ?? 0) >= maxAgeMs;
      const end = async (outcome: string) => {
        const reason = outcome === "succeeded" ? undefined : `${order.task?.taskid}: ${outcome}`;
        await fleet.move(id, ["pending"], reason ? "failed" : "done", reason);
        return void onStep("check", id, outcome);
      };
      try {
        const task = media.task(order.task);
        const { state, afterMs } = await task.check({ signal: signals.check });
        if (state === "succeeded") await results.save(id, task, signals.check);
        if (state !== "pending" || isOld) return await end(state === "pending" ? "overdue" : state);
        await fleet.move(id, ["pending"], "pending", undefined, task.toJSON());
        onStep("check", id, state);
        return afterMs;
      } catch (error) {
        const isKey = isOfKey(error) && (await gate.isKeyRejected().catch(() => true));
        // The service responds, and gives no task or no result: it may have been deleted.
        const isGone = (one: sdk.ServiceError) =>
          one.operation === "download" ? !one.isRetryable : one.code !== undefined;
        if (isOld && !isKey && error instanceof sdk.ServiceError && isGone(error)) return await end("overdue");
        onStep("check", id, signals.check.aborted ? "stopped" : "threw", error);
        throw error;
      }
    },
  };
}
