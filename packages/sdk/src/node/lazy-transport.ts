import type { ClientOptions } from "../client/options.ts";
import { beforeRequest } from "../transport/evidence.ts";
import type { Transport } from "../transport/transport.ts";
import type { PoolOptions } from "./connections.ts";

/** Returns whether requests go through node:http. Bun and Deno only imitate it, so their own fetch is used. */
export function usesNodeHttp({ fetch }: Pick<ClientOptions, "fetch">): boolean {
  return !fetch && !("Deno" in globalThis) && !("bun" in process.versions);
}

/** Loads node:http at the first request: it takes longer than all else together. */
export function lazyTransport(options: PoolOptions): Transport {
  let transport: Transport | undefined;
  let loading: Promise<Transport> | undefined;
  return async (request, sendOptions) => {
    loading ??= import("./transport.ts").then(({ nodeTransport }) => nodeTransport(options));
    transport ??= await loading.catch((error: unknown) => {
      // It may be there at the next request.
      loading = undefined;
      throw beforeRequest(error);
    });
    return transport(request, sendOptions);
  };
}
