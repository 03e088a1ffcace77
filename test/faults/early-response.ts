import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createEmulator, listen } from "@mediagen/emulator/node";

/** A service that responds before it has read a request, and what a generation may come to there. */
export interface EarlyResponse {
  readonly name: string;
  readonly start: () => Promise<{ readonly baseUrl: string; readonly close: () => unknown }>;
  /** Where the response is overtaken by the broken connection, the outcome is unknown. */
  readonly outcomes: readonly string[];
  readonly abortAfterMs?: number;
}

const early = (name: string, outcomes: readonly string[], respond: RequestListener, abortAfterMs?: number) => ({
  name,
  outcomes,
  async start() {
    const server = createServer(respond);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return { baseUrl: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() };
  },
  ...(abortAfterMs === undefined ? {} : { abortAfterMs }),
});

const rejected = ["ServiceError", "OutcomeUnknownError"];
const keyRejected = ["AuthenticationError", "OutcomeUnknownError"];
const task = '{"code":1000,"msg":"","data":{"taskid":"t-1"}}';

export const earlyResponses: readonly EarlyResponse[] = [
  early("401, and the connection stays", keyRejected, (_, response) => response.writeHead(401).end("{}")),
  early("401, and the connection closes", keyRejected, (_, response) =>
    response.writeHead(401, { connection: "close" }).end("{}"),
  ),
  early("401, and the connection breaks", keyRejected, ({ socket }, response) => {
    response.writeHead(401).end("{}");
    setTimeout(() => socket.destroy(), 5);
  }),
  early("413 of a front", rejected, (_, response) => response.writeHead(413, { connection: "close" }).end("too large")),
  early("429", ["RateLimitError", "OutcomeUnknownError"], (_, response) => response.writeHead(429).end("later")),
  early("a task", ["t-1", "OutcomeUnknownError"], (_, response) =>
    response.writeHead(200, { connection: "close" }).end(task),
  ),
  early("nothing until the caller aborts", ["OutcomeUnknownError", "TimeoutError"], () => undefined, 20),
  {
    name: "the emulator's 401",
    start: () => listen(createEmulator()),
    outcomes: keyRejected,
  },
];
