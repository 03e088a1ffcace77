import type { ClientOptions } from "../client/options.ts";
import { invalidRequest } from "../errors/errors.ts";
import { nothingWasSent } from "../errors/issue.ts";
import { beforeRequest } from "../call/evidence.ts";
import { isLoopback } from "../call/loopback.ts";
import type { Transport } from "../call/transport.ts";
import type { PoolOptions } from "./agents.ts";

/** Returns whether requests go through node:http. Bun and Deno only imitate it, so their own fetch is used. */
export function usesNodeHttp({ fetch }: Pick<ClientOptions, "fetch">): boolean {
  return !fetch && !("Deno" in globalThis) && !("bun" in process.versions);
}

/** Rejects a generation if a test has replaced `fetch`, which this transport does not call: the test would pay. */
function rejectMockedFetch(url: string): void {
  // Mocks of Vitest, Jest and node:test all have this property.
  const { fetch } = globalThis as { readonly fetch?: { readonly mock?: unknown } };
  if (fetch?.mock === undefined || isLoopback(new URL(url))) return;
  const advice = "Use createMediaGen({ fetch }) with the mock, or the emulator.";
  const problem = "is a mock, and @mediagen/sdk/node does not call globalThis.fetch";
  throw invalidRequest("generate", "fetch", "notAllowed", problem, advice, nothingWasSent);
}

/** Loads node:http at the first request: it takes longer than all else together. */
export function lazyTransport(options: PoolOptions): Transport {
  let transport: Transport | undefined;
  let loading: Promise<Transport> | undefined;
  return async (request, sendOptions) => {
    if (sendOptions.paid && !options.agent) rejectMockedFetch(request.url);
    loading ??= import("./transport.ts").then(({ nodeTransport }) => nodeTransport(options));
    transport ??= await loading.catch((error: unknown) => {
      // It may be there at the next request.
      loading = undefined;
      throw beforeRequest(error);
    });
    return transport(request, sendOptions);
  };
}
