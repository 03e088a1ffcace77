import type { Context } from "../service/context.ts";
import { type Downloads, previewAddress } from "../service/downloads.ts";
import type { Emulator } from "../service/emulator.ts";
import { type Answer, type Incoming, json } from "../service/exchange.ts";
import { type Fault, faultEffects } from "../service/faults.ts";
import type { Snapshot } from "../service/state.ts";
import { progressAt, resultsAt } from "../service/task.ts";
import { page, scriptHash, styleHash } from "./page.gen.ts";

const prefix = "/_emulator/";
/** How many tasks and calls the page shows. */
const shown = 100;

/** Only what the page itself holds may run on it, and no text can become markup. */
const policy = [
  "default-src 'none'",
  `script-src ${scriptHash}`,
  `style-src ${styleHash}`,
  "img-src 'self' data:",
  "media-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** The emulator's page and what it steers by. */
export interface Control {
  serves(pathname: string): boolean;
  serve(incoming: Incoming): Promise<Answer>;
}

/** Serves the page at `/_emulator/`, and over HTTP what `Emulator` offers as code. */
export function createControl(emulator: Emulator, context: Context, downloads: Downloads): Control {
  const { behaviour, clock, faults, keep, routes, statuses } = context;
  const operations = [...routes.values()];
  const numbers = new WeakMap<object, number>();
  let called = 0;
  const actions: Readonly<Record<string, (body: unknown) => void>> = {
    next: (body) => emulator.next(body as Fault),
    advance: (body) => emulator.clock.advance((body as { duration: string | number }).duration),
    credits: (body) => void (emulator.credits = (body as { credits: number }).credits),
    "clear-faults": () => faults.clear(),
    reset: () => emulator.reset(),
    restore: (body) => emulator.restore(body as Snapshot),
  };
  return {
    serves: (pathname) => `${pathname}/`.startsWith(prefix),
    async serve(incoming) {
      const { method, url } = incoming;
      // Without its slash the page's own addresses would lead elsewhere.
      if (!url.pathname.startsWith(prefix)) return { status: 308, headers: { location: prefix }, body: null };
      const name = url.pathname.slice(prefix.length);
      if (name.startsWith("preview/")) return downloads.preview(incoming);
      if (method === "GET") {
        if (name === "")
          return {
            status: 200,
            headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy },
            body: page,
          };
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
        const text = new TextDecoder().decode(await incoming.bytes(context.behaviour.bodyLimit));
        action(text === "" ? {} : JSON.parse(text));
      } catch (error) {
        return json({ error: String(error) }, 400);
      }
      await keep();
      return json({ done: name });
    },
  };

  /** What the page shows: the latest tasks and calls, newest first. */
  function view(): unknown {
    const now = clock.now();
    // A number that stays a call's own lets the page tell which are new.
    for (const call of emulator.calls) if (!numbers.has(call)) numbers.set(call, ++called);
    const tasks = emulator.tasks.slice(-shown).reverse();
    return {
      now,
      clock: clock.mode,
      credits: emulator.credits,
      charged: emulator.charges.length,
      count: emulator.tasks.length,
      tasks: tasks.map((task) => ({
        ...task,
        status: statuses[task.state],
        progress: progressAt(task, now),
        results: Array.from({ length: resultsAt(task, now, behaviour) }, (_, index) => previewAddress(task, index + 1)),
      })),
      calls: emulator.calls
        .slice(-shown)
        .reverse()
        .map((call) => ({ ...call, number: numbers.get(call) })),
      faults: faults.list(),
      faultNames: Object.keys(faultEffects),
      faultTargets: [
        ...new Set(operations.map(({ verb }) => verb)),
        "download",
        ...operations.map(({ operation }) => operation),
      ],
    };
  }
}
