import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Server } from "node:net";

/** Lets a server listen on a free port, which it returns. */
export async function portOf(server: Server, host = "127.0.0.1"): Promise<number> {
  await new Promise<void>((listening) => server.listen(0, host, listening));
  // The cast: a server that listens on a port has this address.
  return (server.address() as AddressInfo).port;
}

/** Serves on a free port until it is disposed of. */
export async function serve(
  respond: RequestListener,
): Promise<AsyncDisposable & { readonly baseUrl: string }> {
  const server = createServer(respond);
  const baseUrl = `http://127.0.0.1:${await portOf(server)}`;
  return {
    baseUrl,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
