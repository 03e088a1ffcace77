import { createEmulator, type Emulator } from "@mediagen/emulator";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A service on a port, whose responses can be held back. */
export interface HeldService extends AsyncDisposable {
  readonly baseUrl: string;
  readonly emulator: Emulator;
  /** Holds back every response from now on until the returned function is called. */
  hold(): () => void;
}

/** Serves an emulator whose responses can be held back. */
export async function serveHeld(): Promise<HeldService> {
  const emulator = createEmulator({ clock: { speed: 100 } });
  let held = Promise.resolve();
  const server = createServer(async (incoming, outgoing) => {
    try {
      const response = await emulator.fetch(await requestOf(incoming));
      await held;
      outgoing.writeHead(response.status, { "content-type": "application/json" }).end(await response.text());
    } catch {
      outgoing.destroy(); // a fault that resets the connection
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    emulator,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const headers = new Headers();
  for (const name of ["authorization", "content-type"]) headers.set(name, String(incoming.headers[name] ?? ""));
  const body = new Uint8Array(await buffer(incoming));
  return new Request(`http://${incoming.headers.host}${incoming.url}`, { method: "POST", headers, body });
}
