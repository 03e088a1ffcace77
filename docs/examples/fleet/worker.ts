import { createClient } from "./client.ts";
import { openEngine, type Work } from "./engine.ts";
import { serveHealth, within } from "./health.ts";
import { describeError, log } from "./log.ts";
import { createMetrics, throttledMs } from "./metrics.ts";
import { readSettings } from "./settings.ts";
import { createShutdown } from "./shutdown.ts";
import type { StepReport } from "./steps.ts";

// `node worker.ts` works until it is stopped.
const settings = readSettings();
const engine = await openEngine(settings);
let work: Promise<Work> | undefined;
const metrics = createMetrics(engine);
const media = createClient(settings, engine.store, (event) => {
  metrics.onEvent(event);
  if (event.type === "storeFailed" || event.type === "lateTask") log("error", event.type, { task: event.task });
  const ms = throttledMs(event);
  if (ms !== undefined) void work?.then(({ throttle }) => throttle(ms)).catch(() => undefined);
});

const shutdown = createShutdown(settings.shutdownGraceMs, async () => {
  await (await work)?.stop();
  await engine.close();
});
const isReachable = () =>
  within(2_000, engine.ping()).then(
    () => true,
    () => false,
  );
const isReady = async () => !shutdown.hasBegun() && (await isReachable());
const port = await serveHealth({ ...settings, isReady, metrics });
const { directory } = settings;
work = engine.work({ media, directory, stop: shutdown.signals, onStep });
await work;
// Not the queue's URL, which may hold a password.
const { queueUrl, ...told } = settings;
log("info", "started", { ...told, port, queue: new URL(queueUrl).host, service: media.origin });

/** Counts each step, and logs those that somebody may have to look at. */
function onStep(report: StepReport): void {
  metrics.onStep(report);
  const { step, order, outcome, error } = report;
  if (["unknown", "rejected", "failed", "overdue"].includes(outcome)) log("error", outcome, { step, order });
  if (outcome === "creditsOut") log("warn", outcome, { order, pauseMs: settings.creditsPauseMs });
  if (outcome === "threw" || outcome === "stopped") log("warn", outcome, { step, order, ...describeError(error) });
}
