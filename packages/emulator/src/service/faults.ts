import { type Answer, type Incoming, plain } from "./exchange.ts";
import type { Random } from "./random.ts";
import type { Verb } from "./routes.ts";

/** What can go wrong, and whether the operation has taken effect by then (a task was created and paid, say). */
export const faultEffects = {
  /** The connection is reset before anything happened. */
  resetBefore: "before",
  /** The connection is reset after it happened: the answer is lost. */
  resetAfter: "after",
  /** No answer ever comes; it happened all the same. */
  hang: "after",
  /** Half of the answer's body, then a reset. */
  cutBody: "after",
  /** The answer's body comes a few bytes at a time. */
  slowBody: "after",
  /** A page of HTML with status 200. */
  html: "after",
  /** JSON that ends in the middle, with status 200. */
  brokenJson: "after",
  /** Nothing, with status 200. */
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
  /** An envelope with a code that nobody knows. */
  wrongCode: "after",
  /** A record with a status that nobody knows. */
  unknownStatus: "after",
  /** The task that is generated will fail. */
  taskFails: "after",
  /** A result's address is no longer valid. */
  linkExpired: "before",
  /** A result breaks off in the middle. */
  downloadCut: "after",
} as const;

/** The name of a fault. */
export type FaultName = keyof typeof faultEffects;

/** A fault to come. */
export interface Fault {
  /** Which fault; `faultEffects` lists them. */
  readonly fault: FaultName;
  /**
   * Where: a verb, `download`, or an operation's id.
   * @default every call that the fault fits
   */
  readonly on?: Verb | "download" | (string & {}) | undefined;
  /**
   * How often.
   * @default 1, without end where a share is given
   */
  readonly times?: number | undefined;
  /**
   * The share of the calls that it hits, from 0 to 1, drawn from the seed.
   * @default 1
   */
  readonly share?: number | undefined;
  /**
   * The Retry-After header of `rateLimited` and `unavailable`.
   * @default "1"
   */
  readonly retryAfter?: string | undefined;
}

/** What a call is, for choosing a fault. */
export interface FaultTarget {
  readonly verb: Verb | "download";
  readonly operation: string;
}

/** The faults to come, in the order they were asked for. */
export interface Faults {
  add(fault: Fault): void;
  /** The fault that hits this call, if one does. */
  take(target: FaultTarget): Fault | undefined;
  list(): readonly Fault[];
  clear(): void;
}

/** Creates an empty list of faults for calls such as these, and for downloads. */
export function createFaults(random: Random, calls: Iterable<FaultTarget>): Faults {
  const targets: readonly FaultTarget[] = [...calls, { verb: "download", operation: "download" }];
  let waiting: { readonly fault: Fault; left: number }[] = [];
  return {
    add(fault) {
      if (!Object.hasOwn(faultEffects, fault.fault)) {
        throw new RangeError(`there is no fault "${fault.fault}"; there are ${Object.keys(faultEffects).join(", ")}`);
      }
      if (!targets.some((target) => fits(fault, target)))
        throw new RangeError(`no call can meet "${fault.fault}" on "${fault.on}"`);
      if (!((fault.times ?? 1) >= 1)) throw new RangeError(`a fault comes at least once, not ${fault.times} times`);
      if (!((fault.share ?? 1) >= 0 && (fault.share ?? 1) <= 1))
        throw new RangeError(`a share is from 0 to 1, not ${fault.share}`);
      if (!/^[\x20-\x7e]*$/.test(fault.retryAfter ?? "")) throw new RangeError("retryAfter is the value of a header");
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
    list: () => waiting.map(({ fault, left }) => ({ ...fault, ...(Number.isFinite(left) ? { times: left } : {}) })),
    clear: () => void (waiting = []),
  };
}

const onlyOn: Partial<Record<FaultName, readonly string[]>> = {
  unknownStatus: ["query"],
  taskFails: ["generate"],
  linkExpired: ["download"],
  downloadCut: ["download"],
  failure: ["generate", "query", "delete"],
  insufficientCredits: ["generate", "query", "delete"],
  wrongCode: ["generate", "query", "delete"],
  brokenJson: ["generate", "query", "delete"],
};

function fits({ fault, on }: Fault, { verb, operation }: FaultTarget): boolean {
  if (onlyOn[fault] && !onlyOn[fault].includes(verb)) return false;
  // Where nothing is said, a fault hits the service's operations; a download is hit only where it is named.
  if (on === undefined) return verb !== "download" || onlyOn[fault]?.[0] === "download";
  return on === verb || on === operation;
}

/** Gives no answer until the signal aborts, and rejects with its reason then. */
export type Hang = (signal: AbortSignal) => Promise<never>;

/** The answer that a fault makes of a good one, or of none where it hits before; the good one where the fault is in what it says. */
export async function spoil(
  { fault, retryAfter = "1" }: Fault,
  { signal }: Incoming,
  hang: Hang,
  good: Answer = plain(500, "no answer"),
): Promise<Answer> {
  switch (fault) {
    case "resetBefore":
    case "resetAfter":
      throw connectionReset();
    case "hang":
      return hang(signal);
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
      return inPieces(good, 10, () => new Promise((resolve) => setTimeout(resolve, 200)));
    default:
      return good;
  }
}

/** The same answer with its body in pieces, and something done before each. */
function inPieces(good: Answer, count: number, before: (index: number) => Promise<unknown>): Answer {
  if (good.body === null) return good;
  const bytes = good.body instanceof Uint8Array ? good.body : new TextEncoder().encode(String(good.body));
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

/** What a fetch rejects with when its connection is reset, as Node spells it. */
function connectionReset(): TypeError {
  const cause = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" });
  return new TypeError("fetch failed", { cause });
}
