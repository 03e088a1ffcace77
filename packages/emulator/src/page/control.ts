import type { Context } from "../service/context.ts";
import type { Downloads } from "../service/downloads.ts";
import type { Emulator } from "../service/emulator-types.ts";
import { type EmulatorResponse, type EmulatorRequest, json } from "../service/exchange.ts";
import type { Fault } from "../service/faults.ts";
import { emulatorPath, isEmulatorPath } from "../service/paths.ts";
import type { Snapshot } from "../service/state.ts";
import { page, scriptHash, styleHash } from "./page.gen.ts";
import { createView } from "./view.ts";

/** Only the page's own script and style may run on it, and no text can become markup. */
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

const pageResponse: EmulatorResponse = {
  status: 200,
  headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy },
  body: page,
};

/** The emulator's page and control API. */
interface Control {
  /** Returns whether a path belongs to the control API. */
  serves(pathname: string): boolean;
  /** Handles a request to the page or the control API. */
  serve(request: EmulatorRequest): Promise<EmulatorResponse>;
}

type Actions = Readonly<Record<string, (body: unknown) => void>>;

/**
 * Creates the page at `/_emulator/` and the control API, which offers what `Emulator` offers in
 * code.
 */
export function createControl(emulator: Emulator, context: Context, downloads: Downloads): Control {
  const reads: Readonly<Record<string, () => unknown>> = {
    state: createView(emulator, context),
    snapshot: emulator.snapshot,
    behaviour: () => emulator.behaviour,
    report: emulator.report,
    health: () => ({ status: "ok" }),
  };
  const actions = actionsOf(emulator, context);
  return {
    serves: isEmulatorPath,
    async serve(request) {
      const { method, url } = request;
      // Without the trailing slash, the page's relative URLs would be wrong.
      if (!url.pathname.startsWith(emulatorPath))
        return { status: 307, headers: { location: emulatorPath.slice(1) }, body: null };
      const name = url.pathname.slice(emulatorPath.length);
      if (name.startsWith("preview/")) return downloads.preview(request);
      const isRead = method === "GET" || method === "HEAD";
      if (isRead && name === "") return pageResponse;
      const read = isRead && Object.hasOwn(reads, name) ? reads[name] : undefined;
      if (read) return json(read());
      const action = method === "POST" && Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (!action) return json({ error: `there is no ${method} ${emulatorPath}${name}` }, 404);
      return act(request, action, name, context);
    },
  };
}

/**
 * Returns the actions of `POST` requests by name. The casts: each action validates its argument,
 * and throws.
 */
function actionsOf(emulator: Emulator, { faults, configure }: Context): Actions {
  return {
    behaviour: configure,
    next: (body) => emulator.next(body as Fault),
    advance: (body) => emulator.clock.advance((body as { duration: string | number }).duration),
    credits: (body) => void (emulator.credits = (body as { credits: number }).credits),
    "clear-faults": () => faults.clear(),
    reset: () => emulator.reset(),
    restore: (body) => emulator.restore(body as Snapshot),
  };
}

async function act(
  request: EmulatorRequest,
  action: (body: unknown) => void,
  name: string,
  { keep, limits }: Context,
): Promise<EmulatorResponse> {
  // Only the emulator's own page may control it: a form or script of another site cannot send this
  // type without a preflight.
  if (!request.header("content-type")?.startsWith("application/json")) {
    return json({ error: "Content-Type must be application/json" }, 415);
  }
  try {
    const text = new TextDecoder().decode(await request.bytes(limits.body));
    action(text === "" ? {} : JSON.parse(text));
  } catch (error) {
    return json({ error: String(error) }, 400);
  }
  await keep();
  return json({ done: name });
}
