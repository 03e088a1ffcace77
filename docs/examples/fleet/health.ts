import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Options of `serveHealth`. */
export interface Health {
  readonly host: string;
  readonly port: number;
  /** Whether the worker takes orders. */
  readonly isReady: () => Promise<boolean>;
  readonly metrics: { readonly text: () => Promise<string>; readonly contentType: string };
}

/** Serves /live (the process runs), /ready (it takes orders) and /metrics. Resolves to its port. */
export async function serveHealth({ host, port, isReady, metrics }: Health): Promise<number> {
  const server = createServer((request, response) => {
    const respond = (status: number, text: string, type = "text/plain") =>
      response.writeHead(status, { "content-type": type }).end(text);
    const routes: Readonly<Record<string, () => Promise<unknown> | unknown>> = {
      "/live": () => respond(200, "live\n"),
      "/ready": async () => ((await isReady()) ? respond(200, "ready\n") : respond(503, "not ready\n")),
      "/metrics": async () => respond(200, await metrics.text(), metrics.contentType),
    };
    const route = routes[request.url ?? ""] ?? (() => respond(404, "Use /live, /ready or /metrics.\n"));
    void Promise.resolve()
      .then(route)
      .catch(() => respond(500, "error\n"));
  });
  server.listen(port, host);
  await once(server, "listening");
  // The process may end while somebody is still connected.
  server.unref();
  // The cast: it listens on a port.
  return (server.address() as AddressInfo).port;
}

/** Rejects if something takes too long. */
export function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error("it took too long")), ms).unref());
  return Promise.race([promise, late]);
}
