import type { Emulator } from "./emulator.ts";
import { json, type Answer, type Incoming } from "./exchange.ts";
import type { Fault, Faults } from "./faults.ts";
import { faultEffects } from "./faults.ts";
import { page } from "./page.gen.ts";
import type { Snapshot } from "./state.ts";
import { progressAt } from "./task.ts";

const prefix = "/_emulator/";

/** Only what the page itself holds may run on it. */
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The emulator's page and what it steers by. */
export interface Control {
  serves(pathname: string): boolean;
  serve(incoming: Incoming): Promise<Answer>;
}

/** Serves the page at `/_emulator/`, and over HTTP what `Emulator` offers as code. */
export function createControl(emulator: Emulator, faults: Faults, keep: () => Promise<void>): Control {
  const actions: Readonly<Record<string, (body: unknown) => void>> = {
    next: (body) => emulator.next(body as Fault),
    advance: (body) => emulator.clock.advance((body as { duration: string | number }).duration),
    credits: (body) => void (emulator.credits = finite((body as { credits: unknown }).credits)),
    "clear-faults": () => faults.clear(),
    reset: () => emulator.reset(),
    restore: (body) => emulator.restore(body as Snapshot),
  };
  return {
    serves: (pathname) => `${pathname}/`.startsWith(prefix),
    async serve(incoming) {
      const { method, url } = incoming;
      const name = url.pathname.slice(prefix.length);
      if (method === "GET") {
        if (name === "") return { status: 200, headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy }, body: page };
        if (name === "state") return json(view());
        if (name === "snapshot") return json(emulator.snapshot());
      }
      const action = method === "POST" && Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (!action) return json({ error: `there is no ${method} /_emulator/${name}` }, 404);
      // Only pages of the emulator's own may steer it: a form or script of another site cannot send this type unasked.
      if (!incoming.header("content-type")?.startsWith("application/json")) {
        return json({ error: "Content-Type must be application/json" }, 415);
      }
      try {
        const text = new TextDecoder().decode(await incoming.bytes(Infinity));
        action(text === "" ? {} : JSON.parse(text));
      } catch (error) {
        return json({ error: String(error) }, 400);
      }
      await keep();
      return json({ done: name });
    },
  };

  /** What the page shows. */
  function view(): unknown {
    const now = emulator.clock.now();
    const tasks = emulator.tasks.slice(-100).reverse();
    return {
      now,
      credits: emulator.credits,
      charged: emulator.charges.length,
      count: emulator.tasks.length,
      tasks: tasks.map((task) => ({ ...task, progress: progressAt(task, now) })),
      calls: emulator.calls.slice(-100).reverse(),
      faults: faults.list(),
      faultNames: Object.keys(faultEffects),
    };
  }
}

function finite(value: unknown): number {
  const number = Number(value);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new RangeError(`credits are a number, at least 0, not ${String(value)}`);
}
