import type { MediaGenEvent } from "@mediagen/sdk/node";
import { openFleet } from "./fleet.ts";
import { log, logFailure, run, within } from "./log.ts";
import { readMetrics, serveTexts } from "./metrics.ts";
import { prepareResults } from "./results.ts";
import { readSettings } from "./settings.ts";
import { createSteps } from "./steps.ts";

// `node worker.ts` works until it is stopped.
await run(async () => {
  const settings = readSettings();
  await prepareResults(settings.results);
  const fleet = await openFleet(settings, onEvent);
  const generate = new AbortController();
  const check = new AbortController();
  const { gate, ...steps } = createSteps(settings, fleet, {
    generate: generate.signal,
    check: check.signal,
  });
  const port = await serveTexts(settings, {
    "/live": async () => "live\n",
    "/ready": readiness,
    "/metrics": () => readMetrics(fleet),
  });
  void gate.watch();
  for (const step of ["generate", "check"] as const)
    await fleet.queue.work(step, steps[step]);
  // What a queue has had for ten minutes, it may have forgotten.
  const repair = () =>
    fleet.repair(600_000).catch((error: unknown) => logFailure("database", error));
  void repair();
  setInterval(repair, 60_000).unref();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop);
  log("info", "started", {
    port,
    origin: fleet.media.origin,
    queue: settings.redisUrl ? "bullmq" : "pg-boss",
  });
  async function readiness(): Promise<string> {
    if (check.signal.aborted) return "not ready: the worker ends\n";
    if (gate.closedBy() === "keyRejected")
      return "not ready: the service rejects the API key\n";
    const answers = Promise.all([fleet.query("select 1"), fleet.queue.ping?.()]);
    const isUp = await within(2_000, answers, "A server").catch(() => false);
    return isUp ? "ready\n" : "not ready: PostgreSQL or Redis does not respond\n";
  }
  function onEvent(event: MediaGenEvent): void {
    if (event.type === "storeFailed" || event.type === "lateTask")
      log("error", event.type, { task: event.task });
  }
  function stop(signal: NodeJS.Signals): void {
    // npm and others pass a signal on, so the worker gets it twice.
    if (check.signal.aborted) return;
    log("info", "stopping", { signal });
    check.abort(new Error("the worker ends"));
    setTimeout(
      () => generate.abort(new Error("the worker ends")),
      settings.shutdownGraceMs,
    );
    // The time to record unknown outcomes, and to close connections.
    setTimeout(() => end(1, "stopped too late"), settings.shutdownGraceMs + 4_000);
    const closing = fleet.close().then(() => end(0, "stopped"));
    closing.catch(() => end(1, "stopped with an error"));
  }
  function end(code: number, event: string): void {
    log(code === 0 ? "info" : "error", event);
    process.exit(code);
  }
});
