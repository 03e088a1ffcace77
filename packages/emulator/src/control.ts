import type { Emulator } from "./emulator.ts";
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
  fetch(request: Request): Promise<Response>;
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
    async fetch(request) {
      const name = new URL(request.url).pathname.slice(prefix.length);
      if (request.method === "GET") {
        if (name === "") return new Response(page, { headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy } });
        if (name === "state") return Response.json(view());
        if (name === "snapshot") return Response.json(emulator.snapshot());
      }
      const action = request.method === "POST" && Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (!action) return Response.json({ error: `there is no ${request.method} /_emulator/${name}` }, { status: 404 });
      // Only pages of the emulator's own may steer it: a form or script of another site cannot send this type unasked.
      if (!request.headers.get("content-type")?.startsWith("application/json")) {
        return Response.json({ error: "Content-Type must be application/json" }, { status: 415 });
      }
      try {
        const text = await request.text();
        action(text === "" ? {} : JSON.parse(text));
      } catch (error) {
        return Response.json({ error: String(error) }, { status: 400 });
      }
      await keep();
      return Response.json({ done: name });
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
