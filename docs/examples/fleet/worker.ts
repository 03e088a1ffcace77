import { constants } from "node:os";
import type { MediaGenEvent } from "@mediagen/sdk/node";
import { createClient, openFleet } from "./fleet.ts";
import { log, logFailure, run, within } from "./log.ts";
import { createMetrics, serveTexts } from "./metrics.ts";
import { openResults } from "./results.ts";
import { readSettings } from "./settings.ts";
import { createSteps } from "./steps.ts";

// `node worker.ts` works until it is stopped.
await run(async () => {
  const settings = readSettings();
  const results = openResults(settings.results);
  await results.prepare();
  const fleet = await openFleet(settings);
  const metrics = createMetrics();
  const media = createClient(settings, fleet.store, onEvent);
  const [generate, check] = [new AbortController(), new AbortController()];
  const signals = { generate: generate.signal, check: check.signal };
  const { gate, ...steps } = createSteps({ settings, fleet, media, results, signals, onStep });
  const port = await serveTexts(settings, {
    "/live": async () => "live\n",
    "/ready": readiness,
    "/metrics": () => metrics.text(fleet, gate.closedBy()),
  });
  void gate.watch();
  for (const step of ["generate", "check"] as const) await fleet.queue.work(step, steps[step]);
  // What a queue has had for ten minutes, it may have forgotten.
  setInterval(() => void fleet.repair(600_000).catch((e: unknown) => logFailure("database", e)), 60_000).unref();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop);
  log("info", "started", { port, origin: media.origin, queue: settings.redisUrl ? "bullmq" : "pg-boss" });
  async function readiness(): Promise<string> {
    if (check.signal.aborted) return "not ready: the worker ends\n";
    if (gate.closedBy() === "keyRejected") return "not ready: the service rejects the API key\n";
    const answers = Promise.all([fleet.query("select 1"), fleet.queue.jobsOf("none")]);
    const isUp = await within(2_000, answers, "A server").catch(() => false);
    return isUp ? "ready\n" : "not ready: PostgreSQL or Redis does not respond\n";
  }
  function onStep(step: string, order: string, outcome: string, error?: unknown): void {
    metrics.onStep(step, outcome);
    if (["unknown", "rejected", "failed", "overdue"].includes(outcome)) log("error", outcome, { step, order });
    if (["threw", "stopped", "again"].includes(outcome)) logFailure(outcome, error, { step, order });
  }
  async function onEvent(event: MediaGenEvent): Promise<void> {
    metrics.onEvent(event);
    if (event.type !== "storeFailed" && event.type !== "lateTask") return;
    log("error", event.type, { task: event.task });
    // A task that arrives after its order was unknown is the order's.
    const id = event.type === "lateTask" && (await fleet.store.get(event.generationId))?.idempotencyKey;
    if (id && (await fleet.move(id, ["unknown"], "waiting"))) await fleet.queue.add("generate", [id]);
  }
  let stoppedAt: number | undefined;
  function stop(signal: NodeJS.Signals): void {
    // npm and others pass a signal on, so the worker gets it twice. Only a later one is a second signal.
    if (stoppedAt !== undefined && performance.now() - stoppedAt < 500) return;
    if (stoppedAt !== undefined) return end(128 + constants.signals[signal], "stopped at once");
    stoppedAt = performance.now();
    log("info", "stopping", { signal });
    check.abort(new Error("the worker ends"));
    setTimeout(() => generate.abort(new Error("the worker ends")), settings.shutdownGraceMs);
    // The time to record unknown outcomes, and to close connections.
    setTimeout(() => end(1, "stopped too late"), settings.shutdownGraceMs + 4_000);
    fleet
      .close()
      .then(() => end(0, "stopped"))
      .catch(() => end(1, "stopped with an error"));
  }
  function end(code: number, event: string): void {
    log(code === 0 ? "info" : "error", event, { afterMs: Math.round(performance.now() - (stoppedAt ?? 0)) });
    process.exit(code);
  }
});
