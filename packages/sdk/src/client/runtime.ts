import type { ResultGet } from "../result/context.ts";
import { webGet } from "../result/web-get.ts";
import type { ProcessInfo } from "../store/session.ts";
import { type Send, type Transport, webTransport } from "../transport/transport.ts";
import type { ClientOptions } from "./options.ts";

/** What a client stands on: how it sends, how it fetches results, and what it knows of processes. */
export interface Runtime {
  readonly transport: Transport;
  readonly get: ResultGet;
  /** Loads what is known of processes. */
  readonly processes: () => Promise<ProcessInfo>;
}

/** What a client stands on where fetch is all there is. */
export function webRuntime({ fetch }: Pick<ClientOptions, "fetch">): Runtime {
  const send: Send = (url, init) => (fetch ? fetch(new Request(url, init)) : globalThis.fetch(url, init));
  return { transport: webTransport(send), get: webGet(send), processes: async () => ({ hasEnded: () => false }) };
}
