import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** What the service has seen. */
export interface Seen {
  readonly charges: number;
  /** The share of the latest calls, including downloads, that met a fault. */
  readonly faultyShare: number;
  /** The paid tasks, each with the id of its order. */
  readonly tasks: readonly { readonly id: string; readonly taskid: string; readonly createdAt: number }[];
}

/** The emulated service in a process of its own. */
export interface Service extends AsyncDisposable {
  readonly baseUrl: string;
  /** How many generations were paid. */
  count(): Promise<number>;
  see(): Promise<Seen>;
  /** Lets this share of all later calls fail, in every way that it may meet. */
  addFaults(share: number): Promise<void>;
  clearFaults(): Promise<void>;
}

/** What may go wrong with any call, and with each kind of them. */
const anywhere = "resetBefore resetAfter hang cutBody html emptyBody rateLimited unavailable serverError";
const faultsOn = {
  generate: `${anywhere} slowBody brokenJson failure wrongCode`,
  query: `${anywhere} brokenJson failure wrongCode unknownStatus`,
  download: `${anywhere} downloadCut linkExpired`,
};

/** Starts the emulated service. */
export async function startService(): Promise<Service> {
  const path = fileURLToPath(new URL("processes/emulator.ts", import.meta.url));
  const child = fork(path);
  // The casts: this is what the process sends.
  const [{ baseUrl }] = (await once(child, "message")) as [{ readonly baseUrl: string }];
  async function ask<Answer>(what: string): Promise<Answer> {
    child.send(what);
    const [answer] = (await once(child, "message")) as [Answer];
    return answer;
  }
  return {
    baseUrl,
    count: () => ask("count"),
    see: () => ask("see"),
    async addFaults(share) {
      for (const [on, names] of Object.entries(faultsOn)) {
        const faults = names.split(" ");
        // Each call is offered one fault after the other.
        const each = 1 - (1 - share) ** (1 / faults.length);
        for (const fault of faults) await control(baseUrl, "next", { fault, on, share: each, retryAfter: "1" });
      }
    },
    clearFaults: () => control(baseUrl, "clear-faults", {}),
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, "exit");
    },
  };
}

async function control(baseUrl: string, action: string, body: object): Promise<void> {
  const response = await fetch(`${baseUrl}/_emulator/${action}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`the emulator refused ${action}: ${await response.text()}`);
}
