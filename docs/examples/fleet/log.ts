import { setTimeout as sleep } from "node:timers/promises";
import { InvalidRequestError } from "@mediagen/sdk/node";

/**
 * How often each event happened. Prometheus sees an increase only of a series that
 * was there before.
 */
export const counts = new Map<string, number>();
for (const event of [
  "rejected",
  "failed",
  "overdue",
  "rateLimited",
  "threw",
  "storeFailed",
])
  counts.set(event, 0);
export const count = (event: string) =>
  void counts.set(event, (counts.get(event) ?? 0) + 1);
/**
 * Counts an event, and writes one line of JSON. Pass no prompts, no keys, and no
 * texts of errors that may repeat a prompt.
 */
export function log(
  level: "error" | "info",
  event: string,
  fields: object = {},
): void {
  count(event);
  console.log(
    JSON.stringify({ time: new Date().toISOString(), level, event, ...fields }),
  );
}
const loggedAt = new Map<string, number>();
/**
 * Counts an event, and writes at most one line a second for it, because a server
 * that is down fails every step.
 */
export function logFailure(
  event: string,
  failure: unknown,
  fields: object = {},
): void {
  if (performance.now() - (loggedAt.get(event) ?? -Infinity) < 1_000)
    return count(event);
  loggedAt.set(event, performance.now());
  // Its class, and a code such as ECONNREFUSED or ENOSPC, which may be its cause's.
  const { name: error, code, cause } = Object(failure);
  log("error", event, { ...fields, error, code: code ?? Object(cause).code });
}
/**
 * Settings, arguments or servers are wrong, and nothing was changed. Its text is
 * safe to log.
 */
export class Rejection extends Error {}
/**
 * Runs a program. If it throws, writes one line and ends with 2 if nothing was
 * changed, or else with 1.
 */
export async function run(program: () => Promise<unknown>): Promise<void> {
  await program().catch((error: unknown) => {
    const { syscall, code, message = String(error) } = Object(error);
    // A file, the port, an option, or a database or a password that PostgreSQL
    // rejects.
    const isSetting =
      /^(open|mkdir|access|listen)$/.test(syscall) ||
      /^(EISDIR|ERR_PARSE_ARGS|28|3D)/.test(code);
    const isInput =
      isSetting ||
      error instanceof Rejection ||
      error instanceof InvalidRequestError;
    log("error", isInput ? "notDone" : "failed", { message });
    process.exit(isInput ? 2 : 1);
  });
}
/** Rejects if something takes too long. */
export function within<T>(
  ms: number,
  promise: Promise<T>,
  what: string,
): Promise<T> {
  const late = sleep(ms, undefined, { ref: false }).then(() =>
    Promise.reject(new Error(`${what} does not respond.`)),
  );
  return Promise.race([promise, late]);
}
