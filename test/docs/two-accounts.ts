import { createEmulator, type Emulator } from "@mediagen/emulator";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A service with two accounts: each API key has an emulator of its own. */
export interface TwoAccounts extends AsyncDisposable {
  readonly baseUrl: string;
  readonly ann: Emulator;
  readonly bob: Emulator;
  /** The users of the examples, as JSON by token. */
  readonly users: string;
  /** Holds back every response from now on until the returned function is called. */
  hold(): () => void;
}

/** Serves the emulators of two accounts on one port. */
export async function serveTwoAccounts(): Promise<TwoAccounts> {
  const [ann, bob] = [1, 2].map((seed) => createEmulator({ apiKey: `key-${seed}`, seed, clock: { speed: 100 } })) as [
    Emulator,
    Emulator,
  ];
  let held = Promise.resolve();
  const server = createServer(async (incoming, outgoing) => {
    const emulator = incoming.headers.authorization === bob.client.apiKey ? bob : ann;
    try {
      const response = await emulator.fetch(await requestOf(incoming));
      await held;
      outgoing.writeHead(response.status, { "content-type": "application/json" }).end(await response.text());
    } catch {
      outgoing.destroy(); // a fault that resets the connection
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const users = JSON.stringify({
    "token-of-ann": { id: "ann", apiKey: ann.client.apiKey },
    "token-of-bob": { id: "bob", apiKey: bob.client.apiKey },
  });
  return {
    baseUrl,
    ann,
    bob,
    users,
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
