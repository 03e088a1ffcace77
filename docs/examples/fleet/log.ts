import { setTimeout as sleep } from "node:timers/promises";
import { InvalidRequestError } from "@mediagen/sdk/node";

/** Writes one line of JSON. Pass no prompts, no keys, and no texts of errors that may repeat a prompt. */
export function log(level: "error" | "warn" | "info", event: string, fields: object = {}): void {
  console.log(JSON.stringify({ time: new Date().toISOString(), level, event, ...fields }));
}
const loggedAt = new Map<string, number>();
/** Writes at most one line a second for each event, because a server that is down fails every step. */
export function logFailure(event: string, failure: unknown, fields: object = {}): void {
  if (performance.now() - (loggedAt.get(event) ?? -Infinity) < 1_000) return;
  loggedAt.set(event, performance.now());
  // Its class, and a code such as ECONNREFUSED or ENOSPC, which may be its cause's.
  const { name: error, code, cause } = Object(failure);
  log("warn", event, { ...fields, error, code: code ?? Object(cause).code });
}
/** Settings, arguments or servers are wrong, and nothing was changed. Its text is safe to log. */
export class Rejection extends Error {}
/** Runs a program. If it throws, writes one line and ends with 2 if nothing was changed, or else with 1. */
export async function run(program: () => Promise<unknown>): Promise<void> {
  await program().catch((error: unknown) => {
    const isFile = /^(open|mkdir|access)$/.test(Object(error).syscall); // one of the settings
    const isInput = isFile || error instanceof Rejection || error instanceof InvalidRequestError;
    const message = error instanceof Error ? error.message : String(error);
    log("error", isInput ? "notDone" : "failed", { message });
    process.exit(isInput ? 2 : 1);
  });
}
/** Rejects if something takes too long. */
export function within<T>(ms: number, promise: Promise<T>, what: string): Promise<T> {
  const late = sleep(ms, undefined, { ref: false }).then(() => Promise.reject(new Error(`${what} does not respond.`)));
  return Promise.race([promise, late]);
}
