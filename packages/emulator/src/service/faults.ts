import type { Activity } from "./activity.ts";
import { type EmulatorResponse, type EmulatorRequest, plain } from "./exchange.ts";
import type { Random } from "./random.ts";
import { type Verb, verbs } from "./operation.ts";
import { rejectUnknown } from "./read-settings.ts";

/**
 * All faults, and whether each comes before or after the operation has taken effect, such as a task
 * created and paid.
 */
export const faultEffects = {
  /** The connection is reset before the operation. */
  resetBefore: "before",
  /** The connection is reset after the operation: the response is lost. */
  resetAfter: "after",
  /** The operation happens, but no response ever comes. */
  hang: "after",
  /** Half of the response body, then a reset. */
  cutBody: "after",
  /** The response body comes in ten pieces, 200 ms apart. */
  slowBody: "after",
  /** An HTML page with status 200. */
  html: "after",
  /** Truncated JSON with status 200. */
  brokenJson: "after",
  /** An empty body with status 200. */
  emptyBody: "after",
  /** The envelope of a failure. */
  failure: "before",
  /** The envelope of insufficient credits. */
  insufficientCredits: "before",
  /** HTTP 429 with Retry-After. */
  rateLimited: "before",
  /** HTTP 503 with Retry-After. */
  unavailable: "before",
  /** HTTP 500. */
  serverError: "after",
  /** An envelope with an unknown code. */
  wrongCode: "after",
  /** A record with an unknown status. */
  unknownStatus: "after",
  /** The task is created, and fails. */
  taskFails: "after",
  /** The URL of a result has expired. */
  linkExpired: "before",
  /** Half of a result, then a reset. */
  downloadCut: "after",
} as const;

/** The name of a fault. */
export type FaultName = keyof typeof faultEffects;

/** A fault that later calls meet. */
export interface Fault {
  /** The name of the fault; `faultEffects` lists them. */
  readonly fault: FaultName;
  /**
   * The calls that meet it: a verb, `download`, or an operation's id.
   * @default every call that the fault applies to
   */
  readonly on?: Verb | "download" | (string & {}) | undefined;
  /**
   * The number of calls that meet it.
   * @default 1, or unlimited if `share` is set
   */
  readonly times?: number | undefined;
  /**
   * The share of the calls that meet it, from 0 to 1, drawn from the seed.
   * @default 1
   */
  readonly share?: number | undefined;
  /**
   * The Retry-After header of `rateLimited` and `unavailable`.
   * @default "1"
   */
  readonly retryAfter?: string | undefined;
}

const known: readonly (keyof Fault)[] = ["fault", "on", "times", "share", "retryAfter"];

/** The properties of a call that decide which fault it meets. */
export interface FaultTarget {
  readonly verb: Verb | "download";
  readonly operation: string;
}

/** The pending faults, in the order in which they were added. */
export interface Faults {
  add(fault: Fault): void;
  /** Returns the fault for this call, if any, and counts it. */
  take(target: FaultTarget): Fault | undefined;
  list(): readonly Fault[];
  clear(): void;
}

/** Creates an empty list of faults for these calls and for downloads. */
export function createFaults(random: Random, calls: Iterable<FaultTarget>): Faults {
  const targets: readonly FaultTarget[] = [...calls, { verb: "download", operation: "download" }];
  let waiting: { readonly fault: Fault; left: number }[] = [];
  return {
    add(fault) {
      rejectUnknown(fault, "property", known);
      if (!Object.hasOwn(faultEffects, fault.fault)) {
        throw new RangeError(
          `fault: "${fault.fault}" is not valid. Use one of ${Object.keys(faultEffects).join(", ")}.`,
        );
      }
      if (!targets.some((target) => fits(fault, target)))
        throw new RangeError(`fault: no call can meet "${fault.fault}" on "${fault.on}".`);
      if (!((fault.times ?? 1) >= 1))
        throw new RangeError(`times: ${fault.times} is not valid. Use a number, at least 1.`);
      if (!((fault.share ?? 1) >= 0 && (fault.share ?? 1) <= 1))
        throw new RangeError(`share: ${fault.share} is not valid. Use a number from 0 to 1.`);
      if (!/^[\x20-\x7e]*$/.test(fault.retryAfter ?? ""))
        throw new RangeError("retryAfter: use the value of a header, in printable ASCII.");
      waiting.push({ fault, left: fault.times ?? (fault.share === undefined ? 1 : Infinity) });
    },
    take(target) {
      const hit = waiting.find(
        ({ fault }) => fits(fault, target) && (fault.share === undefined || random() < fault.share),
      );
      if (!hit) return undefined;
      if (--hit.left <= 0) waiting = waiting.filter((one) => one !== hit);
      return hit.fault;
    },
    list: () =>
      waiting.map(({ fault, left }) => ({
        ...fault,
        ...(Number.isFinite(left) ? { times: left } : {}),
      })),
    clear: () => void (waiting = []),
  };
}

const onlyOn: Partial<Record<FaultName, readonly string[]>> = {
  unknownStatus: ["query"],
  taskFails: ["generate"],
  linkExpired: ["download"],
  downloadCut: ["download"],
  failure: verbs,
  insufficientCredits: verbs,
  wrongCode: verbs,
  brokenJson: verbs,
};

function fits({ fault, on }: Fault, { verb, operation }: FaultTarget): boolean {
  if (onlyOn[fault] && !onlyOn[fault].includes(verb)) return false;
  // By default, a fault applies to operations. It applies to downloads only if `on` names them.
  if (on === undefined) return verb !== "download" || onlyOn[fault]?.[0] === "download";
  return on === verb || on === operation;
}

/**
 * Applies a fault to a response. Without a response, the fault comes before the operation. For a
 * fault in the content, it returns the response unchanged.
 */
export async function spoil(
  { fault, retryAfter = "1" }: Fault,
  { signal }: EmulatorRequest,
  activity: Activity,
  good: EmulatorResponse = plain(500, "no response"),
): Promise<EmulatorResponse> {
  switch (fault) {
    case "resetBefore":
    case "resetAfter":
      throw connectionReset();
    case "hang":
      return activity.hang(signal);
    case "html":
      return {
        status: 200,
        headers: { "content-type": "text/html" },
        body: "<!doctype html><title>Please wait</title><p>Checking your browser",
      };
    case "brokenJson":
      return { ...good, body: String(good.body).slice(0, -8) };
    case "emptyBody":
      return { ...good, headers: { ...good.headers, "content-length": "0" }, body: "" };
    case "rateLimited":
      return { status: 429, headers: { "retry-after": retryAfter }, body: null };
    case "unavailable":
      return { status: 503, headers: { "retry-after": retryAfter }, body: null };
    case "serverError":
      return plain(500, "Internal Server Error");
    case "cutBody":
    case "downloadCut":
      return inPieces(good, 2, async (index) => index === 1 && Promise.reject(connectionReset()));
    case "slowBody":
      // Each piece counts as being served, so that no virtual time passes during it.
      return inPieces(good, 10, () =>
        activity.during(() => new Promise((resolve) => setTimeout(resolve, 200))),
      );
    default:
      return good;
  }
}

/** Returns the same response with its body in pieces. Calls `before` before each piece. */
function inPieces(
  good: EmulatorResponse,
  count: number,
  before: (index: number) => Promise<unknown>,
): EmulatorResponse {
  if (good.body === null) return good;
  const bytes =
    good.body instanceof Uint8Array ? good.body : new TextEncoder().encode(String(good.body));
  const size = Math.ceil(bytes.length / count);
  let index = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = bytes.subarray(index * size, (index + 1) * size);
      if (piece.length === 0) return controller.close();
      await before(index++);
      controller.enqueue(piece);
    },
  });
  return { ...good, headers: { ...good.headers, "content-length": String(bytes.length) }, body };
}

/** Returns the error with which fetch rejects in Node if its connection is reset. */
export function connectionReset(): TypeError {
  const cause = Object.assign(new Error("read ECONNRESET"), {
    code: "ECONNRESET",
    syscall: "read",
  });
  return new TypeError("fetch failed", { cause });
}
