import { readRetryAfter } from "../call/answer.ts";
import type { Retries } from "../call/retries.ts";
import { checkNumbers } from "../errors/check-numbers.ts";
import { ConnectionError, InvalidRequestError, ServiceError } from "../errors/errors.ts";
import type { OnEvent } from "../events.ts";
import type { ResultOptions, Task } from "../task/task.ts";
import { Deadline, orAbort, type Time } from "../time/clock.ts";
import { isPrivate } from "../transport/address.ts";

/** Gets a result's address without following redirects; the key is never part of it. */
export type ResultGet = (url: URL, init: ResultRequest) => Promise<Response>;

/** What a result is asked for with. */
export interface ResultRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Whether the host may be this machine or one of a private network. */
  readonly allowPrivate: boolean;
}

/** Where a result's bytes go. */
export interface ResultSink {
  write(piece: Uint8Array): Promise<void> | void;
  /** Takes back what was written: the bytes come anew from the first. */
  restart(): Promise<void> | void;
}

/** One result: where it stands, and where it stands now if that address has expired. */
export interface ResultSource {
  readonly task: Task;
  readonly index: number;
  readonly count: number;
  readonly address: string;
  renew(): Promise<string | undefined>;
}

const redirectsAtMost = 3;
const expired: readonly number[] = [401, 403, 404, 410];
/** How HTML begins, and no image or video: what stands between, such as a sign-in, answers with a page of its own. */
const startOfPage = "<".charCodeAt(0);

/** What copying a result stands on. */
export interface ResultContext {
  readonly get: ResultGet;
  readonly time: Time;
  readonly tell: OnEvent;
  /** How results are asked for again: as queries are, and within the same budget. */
  readonly retries: Retries;
  /** Whether the base URL's host is itself this machine or one of a private network. */
  readonly privateBase: boolean;
}

/**
 * Copies one result into a sink: follows few redirects, renews an expired address once, and goes on where it broke off if
 * the server can. Answers the media type that the server told.
 */
export async function copyResult(
  source: ResultSource,
  sink: ResultSink,
  context: ResultContext,
  options: ResultOptions,
): Promise<string | undefined> {
  checkNumbers("download: nothing was fetched", options, ["maxBytes", "stallTimeoutMs", "timeoutMs"]);
  const { time, tell, retries } = context;
  const { index, count, task } = source;
  const from = time.steady();
  const told = (attempt: number) => {
    const { kind, model, taskid } = task;
    return { operation: "download", kind, model, taskid, at: time.now(), durationMs: time.steady() - from, attempt };
  };
  const { timeoutMs = 30 * 60_000, signal } = options;
  const whole = new Deadline(time, timeoutMs, () => new Error(`the result took longer than ${timeoutMs} ms`), signal);
  const copy: Copy = { address: source.address, renewed: false, bytes: 0, etag: null, resumable: true };
  try {
    for (let attempts = 1; ; attempts++) {
      try {
        const type = await copyOnce(copy, source, sink, context, { ...options, signal: whole.signal });
        retries.succeeded();
        tell({ type: "downloaded", ...told(attempts), index, count, bytes: copy.bytes });
        return type;
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof Final) throw error.cause;
        // Such as a proxy in the way: another attempt would meet it again.
        if (error instanceof InvalidRequestError) throw error;
        if (whole.passed) throw new ConnectionError("download", whole.signal.reason);
        const isAnswer = error instanceof ServiceError;
        const delayMs = isAnswer
          ? retries.afterAnswer({ ...error, text: error.answer }, attempts, false)
          : retries.afterFailure(attempts, false);
        if (delayMs === undefined) throw isAnswer ? error : new ConnectionError("download", error);
        tell({ type: "retried", ...told(attempts), delayMs, status: isAnswer ? error.status : undefined, error });
        // If the pause is cut short, the next attempt tells by whom.
        await time.sleep(delayMs, whole.signal).catch(() => undefined);
      }
    }
  } finally {
    whole.end();
  }
}

/** How far a copy has come over its attempts. */
interface Copy {
  address: string;
  renewed: boolean;
  bytes: number;
  etag: string | null;
  /** Whether what has come can be gone on with: places in a compressed answer are not places in the result. */
  resumable: boolean;
}

/** Carries an error that another attempt would meet again. */
class Final extends Error {
  override readonly name = "Final";
}

function final(cause: unknown): Final {
  return new Final("no other attempt", { cause });
}

async function copyOnce(
  copy: Copy,
  source: ResultSource,
  sink: ResultSink,
  context: ResultContext,
  options: ResultOptions & { readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { maxBytes = 2 ** 32, stallTimeoutMs = 30_000, onProgress, signal } = options;
  const stalled = () => new Error(`the result stood still for ${stallTimeoutMs} ms`);
  const stall = new Deadline(context.time, stallTimeoutMs, stalled, signal);
  let response: Response | undefined;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    response = await orAbort(follow(copy, context, options, stall.signal), stall.signal);
    if (expired.includes(response.status) && !copy.renewed) {
      void response.body?.cancel().catch(() => undefined);
      copy.renewed = true;
      copy.address = (await source.renew()) ?? copy.address;
      stall.restart(stallTimeoutMs, stalled);
      response = await orAbort(follow(copy, context, options, stall.signal), stall.signal);
    }
    const { status, headers, body } = response;
    // A part that was not asked for is not the result, and not the rest of it.
    const isRest = status === 206 && copy.bytes > 0 && headers.get("content-range")?.startsWith(`bytes ${copy.bytes}-`);
    if (status !== 200 && !isRest) {
      const retryAfterMs = readRetryAfter(headers.get("retry-after"), context.time.now());
      throw new ServiceError(`the result's server answered HTTP ${status}`, "download", {
        status,
        text: "",
        retryAfterMs,
      });
    }
    if (copy.bytes > 0 && !isRest) {
      copy.bytes = 0;
      await kept(() => sink.restart());
    }
    copy.etag = headers.get("etag");
    // Where a fetch has inflated it unasked, its length is that of something else.
    copy.resumable = (headers.get("content-encoding") ?? "identity") === "identity";
    const length = copy.resumable ? headers.get("content-length") : null;
    // A rest may be shorter than what is left; the range says of how much it is one.
    const total = isRest ? /\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1] : length;
    const totalBytes = /^\d+$/.test(total ?? "") ? Number(total) : undefined;
    const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
    reader = body?.getReader();
    for (;;) {
      if (Math.max(copy.bytes, totalBytes ?? 0) > maxBytes)
        throw final(new ServiceError(`the result is larger than ${maxBytes} bytes`, "download", { status, text: "" }));
      const read = await orAbort(
        reader?.read() ?? Promise.resolve({ done: true as const, value: undefined }),
        stall.signal,
      );
      if (read.done) break;
      stall.restart(stallTimeoutMs, stalled);
      if (copy.bytes === 0 && type === "text/html" && read.value[0] === startOfPage)
        throw new Error("a page of HTML came instead of the result");
      await kept(() => sink.write(read.value));
      copy.bytes += read.value.byteLength;
      await kept(() => onProgress?.({ index: source.index, count: source.count, bytes: copy.bytes, totalBytes }));
    }
    if (copy.bytes === 0) throw new Error("the result is empty");
    if (totalBytes !== undefined && copy.bytes < totalBytes)
      throw new Error(`the result ended after ${copy.bytes} of ${totalBytes} bytes`);
    response = undefined;
    return type;
  } catch (error) {
    throw stall.passed ? stall.signal.reason : error;
  } finally {
    stall.end();
    // An abandoned body would hold its connection, and with it the process; that it is beyond cancelling changes nothing.
    void (response && (reader ?? response.body))?.cancel().catch(() => undefined);
  }
}

/** What others do with the bytes; their errors are their own, and another attempt would not mend them. */
async function kept(step: () => Promise<void> | void): Promise<void> {
  try {
    await step();
  } catch (error) {
    throw final(error);
  }
}

async function follow(
  copy: Copy,
  { get, privateBase }: ResultContext,
  { allowPrivateHosts = privateBase }: ResultOptions,
  signal: AbortSignal,
): Promise<Response> {
  const headers: Record<string, string> = { "accept-encoding": "identity" };
  if (copy.bytes > 0 && copy.resumable) {
    headers["range"] = `bytes=${copy.bytes}-`;
    if (copy.etag) headers["if-range"] = copy.etag;
  }
  let url = checked(copy.address, undefined, allowPrivateHosts);
  for (let redirects = 0; ; redirects++) {
    const response = await get(url, { headers, signal, allowPrivate: allowPrivateHosts });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    void response.body?.cancel().catch(() => undefined);
    if (redirects >= redirectsAtMost) throw unusable(copy.address, `leads on more than ${redirectsAtMost} times`);
    url = checked(location, url, allowPrivateHosts);
  }
}

/** An address that may be fetched from. */
function checked(address: string, from: URL | undefined, allowPrivateHosts: boolean): URL {
  if (!URL.canParse(address, from?.href)) throw unusable(address, "is no absolute address");
  const url = new URL(address, from?.href);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw unusable(address, "is neither http nor https");
  if (from?.protocol === "https:" && url.protocol === "http:") throw unusable(address, "leads from https to http");
  if (!allowPrivateHosts && isPrivate(url))
    throw unusable(address, "is on this machine or in a private network (allowPrivateHosts says otherwise)");
  return url;
}

/** Why an address is not fetched from; no other attempt is made. */
export function unusable(address: string, why: string): Error {
  return final(
    new ServiceError(`the result's address ${JSON.stringify(address.slice(0, 200))} ${why}`, "download", {
      status: 0,
      text: "",
    }),
  );
}
