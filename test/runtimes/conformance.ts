import type { Fault, FaultName } from "@mediagen/emulator";
import type { Clock, MediaGen, MediaGenOptions } from "@mediagen/sdk";

/** Promises of the SDK, tested on one engine. Each fails by throwing. */
export type Checks = Readonly<Record<string, (stage: Stage) => Promise<void>>>;

/** Where a program runs: what it receives as JSON. */
export interface Place {
  /** Where the emulator is. */
  readonly baseUrl: string;
  /** A server that sends every call on to the emulator, with HTTP 307. */
  readonly redirecting: string;
  /** An empty directory, if the entry point has files. */
  readonly directory: string;
}

/** What a check is run with: an emulator as new, and clients of it. */
export interface Stage extends Place {
  readonly client: (options?: MediaGenOptions) => MediaGen;
  /** Requests a fault. */
  readonly next: (
    fault: FaultName,
    on: Fault["on"],
    more?: Omit<Fault, "fault" | "on">,
  ) => Promise<unknown>;
  readonly seen: () => Promise<Seen>;
  /** Reports how the engine differs. */
  readonly tell: (difference: string) => void;
}

/** What the emulator has seen, the latest first. */
export interface Seen {
  /** How many generations were billed. */
  readonly charged: number;
  readonly calls: readonly { readonly fault?: string; readonly code?: number }[];
  readonly tasks: readonly { readonly files: readonly Pick<File, "name" | "type" | "size">[] }[];
}

/** How the engine differs and why checks failed, by their names. */
export interface Report {
  readonly differs: Record<string, string>;
  readonly failed: Record<string, string>;
}

/** Runs checks one after the other, each on an emulator as new. */
export async function run(
  checks: Checks,
  createMediaGen: (o: MediaGenOptions) => MediaGen,
  place: Place,
): Promise<Report> {
  const steer =
    pageSteer() ?? ((action: string, body?: object) => steerByFetch(place.baseUrl, action, body));
  const usual = { baseUrl: place.baseUrl, apiKey: key, allowBrowser: true };
  const stage: Omit<Stage, "tell"> = {
    ...place,
    client: (options) =>
      createMediaGen({ ...usual, clock: { random: () => 0, sleep: hurry }, ...options }),
    next: (fault, on, more) => steer("next", { fault, on, ...more }),
    // The cast: the emulator's own page reads the same.
    seen: async () => (await steer("state")) as Seen,
  };
  const report: Report = { differs: {}, failed: {} };
  for (const [name, check] of Object.entries(checks)) {
    await steer("clear-faults", {});
    await steer("reset", {});
    const tell = (difference: string) => void (report.differs[name] = difference);
    await check({ ...stage, tell }).catch(
      (error: unknown) => void (report.failed[name] = String(error)),
    );
  }
  return report;
}

const key = "emulator-key";

/** A page of another origin may not steer the emulator: who opened it does so. */
const pageSteer = () =>
  (globalThis as { readonly steer?: (action: string, body?: object) => Promise<unknown> }).steer;

/** Calls what the emulator is steered by; without a body it reads. */
export async function steerByFetch(
  baseUrl: string,
  action: string,
  body?: object,
): Promise<unknown> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(`${baseUrl}/_emulator/${action}`, body && init);
  if (!response.ok) throw new Error(`${action}: HTTP ${response.status} ${await response.text()}`);
  return response.json();
}

/** Pauses are cut short; timeouts and deadlines take their time. */
const hurry: Clock["sleep"] = (ms, signal, why) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    // Node warns of a signal with many listeners.
    const end = () => {
      signal.removeEventListener("abort", abort);
      resolve();
    };
    const timer = setTimeout(end, why === "pause" ? Math.min(ms, 2) : ms);
    signal.addEventListener("abort", abort, { once: true });
  });

/**
 * Resolves when the emulator has so many calls that hang: those that have a code have taken effect.
 */
export async function hangs({ seen }: Stage, count: number): Promise<void> {
  while (
    (await seen()).calls.filter(({ fault, code }) => fault === "hang" && code !== undefined)
      .length < count
  )
    await new Promise((resolve) => setTimeout(resolve, 5));
}

export function same(actual: unknown, expected: unknown): void {
  const got = JSON.stringify(actual);
  const wanted = JSON.stringify(expected);
  if (got !== wanted) throw new Error(`got ${got}, expected ${wanted}`);
}

export function matches(error: unknown, expected: RegExp): void {
  if (!expected.test(String(error))) throw new Error(`got ${String(error)}, expected ${expected}`);
}

/** What a call throws. It never shows the key. */
export async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.then(
    () => "nothing was thrown",
    (thrown: unknown) => thrown,
  );
  for (let one = error; one instanceof Error; one = one.cause) {
    if (`${one.message} ${one.stack} ${JSON.stringify(one)}`.includes(key))
      throw new Error(`the key is in ${one.name}`);
  }
  return error;
}

export const nameOf = (error: unknown) => (error instanceof Error ? error.name : error);

/** The SHA-256 of a Blob, in hexadecimal. */
export async function digest(blob: Blob | undefined): Promise<string> {
  const bytes = new Uint8Array(
    await crypto.subtle.digest("SHA-256", (await blob?.arrayBuffer()) ?? new ArrayBuffer()),
  );
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
