import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { MediaGenEvent } from "@mediagen/sdk/node";
import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from "prom-client";
import type { Fleet } from "./fleet.ts";
import { within } from "./log.ts";
import type { Settings } from "./settings.ts";

/** Creates the metrics of a worker. Those of the orders are read when they are requested, and are the same on all workers. */
export function createMetrics() {
  collectDefaultMetrics();
  const about = (name: string, help: string, ...labelNames: string[]) => ({ name, help, labelNames });
  const steps = new Counter(about("mediagen_steps_total", "Steps that this worker ran, by outcome", "step", "outcome"));
  const events = new Counter(about("mediagen_events_total", "Store failures and late tasks", "type"));
  const states = new Gauge(about("mediagen_orders", "Orders that are not done, by state", "state"));
  const tables = new Gauge(about("mediagen_rows", "Rows, as PostgreSQL estimates them", "table"));
  const paused = new Gauge(about("mediagen_paused", "1 while no worker generates, by reason", "reason"));
  const seconds = new Histogram({
    ...about("mediagen_task_seconds", "Time from a generation until its task was seen to have ended", "model", "state"),
    buckets: [5, 10, 20, 40, 80, 160, 320, 640, 1_280],
  });
  // Prometheus sees an increase only of a series that was there before.
  for (const outcome of ["rejected", "rateLimited", "threw"]) steps.inc({ step: "generate", outcome }, 0);
  for (const outcome of ["failed", "overdue", "threw"]) steps.inc({ step: "check", outcome }, 0);
  for (const type of ["storeFailed", "lateTask"]) events.inc({ type }, 0);
  return {
    async text({ query }: Fleet, closedBy: string | undefined): Promise<string> {
      for (const reason of ["rateLimited", "creditsOut", "keyRejected"]) paused.set({ reason }, +(closedBy === reason));
      for (const gauge of [states, tables]) gauge.reset(); // Nothing is better than an old figure, if PostgreSQL is down.
      type Row = { readonly kind: string; readonly name: string; readonly count: number };
      for (const { kind, name, count } of await within(2_000, query<Row>("table counts"), "PostgreSQL").catch(() => []))
        if (kind === "state") states.set({ state: name }, count);
        else tables.set({ table: name }, count);
      return register.metrics();
    },
    onStep: (step: string, outcome: string) => steps.inc({ step, outcome }),
    onEvent(event: MediaGenEvent): void {
      if (event.type === "storeFailed" || event.type === "lateTask") events.inc({ type: event.type });
      if (event.type === "ended" && event.durationMs !== undefined)
        seconds.observe({ model: event.model ?? "", state: event.state }, event.durationMs / 1_000);
    },
  };
}
/** Serves texts under their paths. One that begins with "not" has the status 503. Resolves to the port. */
export async function serveTexts({ host, port }: Settings, texts: Readonly<Record<string, () => Promise<string>>>) {
  const server = createServer(async ({ url = "" }, response) => {
    const text = await texts[url]?.();
    const status = text === undefined ? 404 : text.startsWith("not ") ? 503 : 200;
    response.writeHead(status, { "content-type": register.contentType }).end(text);
  });
  server.unref().listen(port, host); // The process may end while somebody is still connected.
  await once(server, "listening");
  return (server.address() as AddressInfo).port; // The cast: it listens on a port.
}
