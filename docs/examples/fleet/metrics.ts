import { type MediaGenEvent, RateLimitError } from "@mediagen/sdk/node";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Engine } from "./engine.ts";
import { within } from "./health.ts";
import { failureOf, type StepReport } from "./steps.ts";

/** Creates the metrics of a worker. Those of the queues are read when they are requested. */
export function createMetrics(engine: Engine) {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const generations = new Counter({
    name: "mediagen_generations_total",
    help: "Generations that this worker sent, by model and outcome",
    labelNames: ["model", "outcome"],
    registers,
  });
  const steps = new Counter({
    name: "mediagen_steps_total",
    help: "Steps that have ended, by outcome",
    labelNames: ["step", "outcome"],
    registers,
  });
  const inFlight = new Gauge({
    name: "mediagen_steps_in_flight",
    help: "Steps that have begun and not ended",
    labelNames: ["step"],
    registers,
  });
  const seconds = new Histogram({
    name: "mediagen_task_seconds",
    help: "Time from a generation until its task was seen to have ended",
    labelNames: ["model", "state"],
    buckets: [5, 10, 20, 40, 80, 160, 320, 640, 1_280],
    registers,
  });
  const events = new Counter({
    name: "mediagen_events_total",
    help: "Events to look at: rate limits (throttled), store failures, late tasks",
    labelNames: ["type"],
    registers,
  });
  watchQueues(engine, register);
  // Prometheus sees an increase only of a series that was there before.
  const alerted = { generate: ["rejected", "threw"], check: ["failed", "overdue", "threw"] };
  for (const [step, outcomes] of Object.entries(alerted))
    for (const outcome of outcomes) steps.inc({ step, outcome }, 0);
  for (const type of ["throttled", "storeFailed", "lateTask"]) events.inc({ type }, 0);

  return {
    /** Returns the metrics as text. */
    text: () => register.metrics(),
    contentType: register.contentType,
    onStep({ step, outcome }: StepReport): void {
      if (outcome === "begun") return inFlight.inc({ step });
      inFlight.dec({ step });
      steps.inc({ step, outcome });
    },
    onEvent(event: MediaGenEvent): void {
      if (event.type === "generated") generations.inc({ model: event.model ?? "", outcome: "created" });
      if (event.type === "failed" && event.operation.startsWith("generate"))
        generations.inc({ model: event.model ?? "", outcome: failureOf(event.error) ?? "failed" });
      if (event.type === "ended" && event.durationMs !== undefined)
        seconds.observe({ model: event.model ?? "", state: event.state }, event.durationMs / 1_000);
      if (event.type === "storeFailed" || event.type === "lateTask") events.inc({ type: event.type });
      if (throttledMs(event) !== undefined) events.inc({ type: "throttled" });
    },
  };
}

/** Returns for how long nothing is sent, if the event is an HTTP 429: as long as the service requests. */
export function throttledMs(event: MediaGenEvent): number | undefined {
  if (event.type !== "failed" || !event.operation.startsWith("generate")) return undefined;
  return event.error instanceof RateLimitError ? (event.error.retryAfterMs ?? 5_000) : undefined;
}

/** Jobs by queue and state, orders of unknown outcome, and whether the credits are out. All workers report the same. */
function watchQueues(engine: Engine, register: Registry): void {
  const jobs = new Gauge({
    name: "mediagen_queue_jobs",
    help: "Jobs by queue and state",
    labelNames: ["queue", "state"],
    registers: [],
    async collect() {
      this.reset(); // Nothing is better than an old figure, if the queue's server is down.
      const depths = await within(2_000, engine.depths()).catch(() => ({}));
      for (const [queue, states] of Object.entries(depths))
        for (const [state, count] of Object.entries(states)) this.set({ queue, state }, count);
    },
  });
  const creditsOut = new Gauge({
    name: "mediagen_credits_out",
    help: "1 if the credits are out: one order at a time is tried until one is accepted",
    registers: [],
    async collect() {
      const isPaused = await within(2_000, engine.isPaused()).catch(() => undefined);
      if (isPaused === undefined) this.remove();
      else this.set(Number(isPaused));
    },
  });
  register.registerMetric(jobs);
  register.registerMetric(creditsOut);
}
