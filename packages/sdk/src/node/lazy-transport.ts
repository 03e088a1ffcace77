import type { ClientOptions } from "../client/options.ts";
import type { Transport } from "../transport/transport.ts";
import type { PoolOptions } from "./connections.ts";

/** Whether requests go through node:http. Bun and Deno imitate it; their own fetch is what they stand for. */
export function usesNodeHttp({ fetch }: Pick<ClientOptions, "fetch">): boolean {
  return !fetch && !("Deno" in globalThis) && !("bun" in process.versions);
}

/** Loads node:http at the first request: it takes longer than all else together. */
export function lazyTransport(options: PoolOptions): Transport {
  let transport: Promise<Transport> | Transport | undefined;
  return async (request, sendOptions) => {
    transport ??= import("./transport.ts").then(
      async ({ nodeTransport }) => (transport = await nodeTransport(options)),
    );
    return typeof transport === "function" ? transport(request, sendOptions) : (await transport)(request, sendOptions);
  };
}
