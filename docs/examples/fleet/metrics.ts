import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Fleet } from "./fleet.ts";
import { counts, within } from "./log.ts";
import type { Settings } from "./settings.ts";

const sql = `select format('mediagen_orders{state="%s"} %s', state, count(*)) as line from orders
    where state in ('waiting', 'pending', 'failed', 'unknown') group by state
  union all select format('mediagen_paused{reason="%s"} 1', reason) from gate
  union all select format('mediagen_rows{table="%s"} %s', relname, greatest(reltuples, pg_stat_get_live_tuples(oid)))
    from pg_class where oid in (to_regclass('orders'), to_regclass('outbox'), to_regclass('mediagen_generation_v1'))`;
/**
 * Reads the metrics as text: the events of this worker, and what is the same on all
 * workers, if PostgreSQL responds.
 */
export async function readMetrics({ query }: Fleet): Promise<string> {
  const events = [...counts].map(
    ([event, count]) => `mediagen_events_total{event="${event}"} ${count}`,
  );
  const rows = await within(
    2_000,
    query<{ readonly line: string }>(sql),
    "PostgreSQL",
  ).catch(() => []);
  return [
    "# TYPE mediagen_events_total counter",
    ...events,
    ...rows.map(({ line }) => line),
    "",
  ].join("\n");
}
/**
 * Serves texts under their paths. One that begins with "not" has the status 503.
 * Resolves to the port.
 */
export async function serveTexts(
  { host, port }: Settings,
  texts: Readonly<Record<string, () => Promise<string>>>,
) {
  const server = createServer(async ({ url = "" }, response) => {
    const text = await texts[url]?.();
    response
      .writeHead(statusOf(text), { "content-type": "text/plain; version=0.0.4" })
      .end(text);
  });
  // The process may end while somebody is still connected.
  server.unref().listen(port, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port; // The cast: it listens on a port.
}
function statusOf(text: string | undefined): number {
  if (text === undefined) return 404;
  return text.startsWith("not ") ? 503 : 200;
}
