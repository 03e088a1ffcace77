import { constants } from "node:os";
import { log } from "./log.ts";
import type { StopSignals } from "./steps.ts";

/** The time that the worker has to end after its grace: to record unknown outcomes, and to close its connections. */
const closingMs = 4_000;
/** npm and others pass a signal on, so the worker gets it twice. Only a later one is a second signal. */
const sameSignalMs = 500;

/** The shutdown of a worker. */
export interface Shutdown {
  readonly signals: StopSignals;
  /** Whether the worker has to end. */
  readonly hasBegun: () => boolean;
}

/**
 * Ends the process at SIGTERM, and at SIGINT as well. Checks and downloads are aborted at once, generations after the grace. Ends
 * with 0 when `stop` has resolved, with 1 if it takes too long, and at once at a second signal.
 */
export function createShutdown(graceMs: number, stop: () => Promise<unknown>): Shutdown {
  const [check, generate] = [new AbortController(), new AbortController()];
  const end = (code: number, event: string, startedAt: number) => {
    log(code === 0 ? "info" : "error", event, { afterMs: Math.round(performance.now() - startedAt) });
    process.exit(code);
  };
  let startedAt: number | undefined;

  function begin(signal: NodeJS.Signals): void {
    const now = performance.now();
    if (startedAt !== undefined && now - startedAt < sameSignalMs) return;
    if (startedAt !== undefined) return end(128 + constants.signals[signal], "stopped at once", startedAt);
    startedAt = now;
    log("info", "stopping", { signal, graceMs });
    check.abort(new Error("the worker ends"));
    setTimeout(() => generate.abort(new Error("the worker ends")), graceMs);
    setTimeout(() => end(1, "stopped too late", now), graceMs + closingMs);
    stop().then(
      () => end(0, "stopped", now),
      () => end(1, "stopped with an error", now),
    );
  }
  process.on("SIGTERM", begin);
  process.on("SIGINT", begin);
  return { signals: { check: check.signal, generate: generate.signal }, hasBegun: () => startedAt !== undefined };
}
