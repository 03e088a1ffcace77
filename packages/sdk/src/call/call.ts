import createClient, { type Client } from "openapi-fetch";
import {
  type Answer,
  ConnectionError,
  InvalidRequestError,
  messageOf,
  OutcomeUnknownError,
  ServiceError,
} from "../errors/errors.ts";
import type { OnEvent } from "../events.ts";
import type { WireFields } from "../form/form.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import type { paths } from "../spec/paths.gen.ts";
import type { Generation } from "../task/generation.ts";
import { Deadline, orAbort, type Time } from "../time/clock.ts";
import { isLoopback } from "../transport/address.ts";
import { evidenceIn, NeverSentError } from "../transport/evidence.ts";
import { FormBody, OutgoingRequest, type Transport, withoutBytes } from "../transport/transport.ts";
import { readAnswer } from "./answer.ts";
import { openEnvelope, taskidIn } from "./envelope.ts";
import { type Hide, hideInError } from "./hide-key.ts";
import type { Retries } from "./retries.ts";

/** The openapi-fetch client, typed by the service's description. */
export type RawClient = Client<paths>;

/** What is called: where, by which transport, with which key. */
export interface Connection {
  readonly baseUrl: string;
  readonly transport: Transport;
  /** The API key, or undefined where the server at `baseUrl` holds it. */
  readonly apiKey: string | undefined | (() => Promise<string | undefined>);
  /** How to hide that key. */
  readonly hideOf: (key: string | undefined) => Hide;
  readonly time: Time;
  readonly tell: OnEvent;
  readonly retries: Retries;
  readonly timeouts: Timeouts;
}

/** How long a call may take, in milliseconds. */
export interface Timeouts {
  /** A whole query or deletion, each attempt. */
  readonly callMs: number;
  /** A whole generation, its uploads included. */
  readonly generateMs: number;
  /** The time between the last piece of a request that has left and the next, or its answer's beginning. */
  readonly headersMs: number;
  /** An answer that has begun and does not go on. */
  readonly stallMs: number;
}

/** What a call is about. */
export interface Subject {
  readonly kind: Kind;
  readonly model?: string | undefined;
  /** The task, where it is about one. */
  readonly taskid?: string | undefined;
}

/** What a call is beside its operation and fields. */
export interface CallContext {
  readonly subject: Subject;
  readonly signal?: AbortSignal | undefined;
  /** Given where the operation is paid. */
  readonly generation?: Generation | undefined;
  /** Given by a wait, which repeats by itself: it is sent once only, although it is safe to repeat, and may take so long at most. */
  readonly patienceMs?: number | undefined;
}

/** Sends one operation and answers the `data` of its envelope. */
export type Call = (
  operation: Operation,
  wire: WireFields,
  context: CallContext,
) => Promise<Readonly<Record<string, unknown>>>;

/** The openapi-fetch client of a connection: it adds the key and sends forms as multipart, and opens no envelope. */
export function createRawClient(connection: Connection): RawClient {
  const { baseUrl, transport } = connection;
  const fetch = async (request: OutgoingRequest): Promise<Response> => {
    const signal = request.signal ?? new AbortController().signal;
    try {
      addKey(request, await keyOf(connection, signal));
      return (await transport(request, { paid: true, signal })).response();
    } catch (error) {
      // As fetch itself would: the raw client tells nothing more of an abort.
      throw signal.aborted ? signal.reason : withoutBytes(error);
    }
  };
  // The cast: openapi-fetch builds this class and hands it to this function, and asks nothing more of either.
  const client = createClient<paths>({ baseUrl, fetch, Request: OutgoingRequest } as unknown as Parameters<
    typeof createClient
  >[0]);
  const formPaths = new Set(
    Object.values(operations).flatMap(({ generate }) => Object.values(generate).map(({ path }) => path)),
  );
  // openapi-fetch tells a body's serialiser neither path nor media type, so the path chooses it. The casts: these are
  // pass-throughs, their types are those of the client that is returned.
  const bodySerializer = (fields: WireFields | FormData) =>
    fields instanceof FormData ? fields : new FormBody(fields);
  const init = (path: string, given: object) => (formPaths.has(path) ? { bodySerializer, ...given } : given);
  return {
    ...client,
    POST: (path: string, given: object) => client.POST(path as never, init(path, given) as never),
    request: (method: string, path: string, given: object) =>
      client.request(method as never, path as never, init(path, given) as never),
  } as RawClient;
}

/** The key that an emulator takes unless told otherwise: sent elsewhere, it shows a mix-up of settings. */
const emulatorKey = "emulator-key";

/** The key of this call; who ignores the signal holds nobody up. */
function keyOf({ apiKey }: Connection, signal: AbortSignal): Promise<string | undefined> | string | undefined {
  return typeof apiKey === "function" ? orAbort(apiKey(), signal) : apiKey;
}

function addKey(request: OutgoingRequest, key: string | undefined): void {
  if (key === undefined) return;
  if (typeof key !== "string" || !/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key)) {
    // A header with such a value is refused by the engine, in an error that shows the value.
    const issue = {
      field: "apiKey",
      got: key === "" ? "an empty text" : "a value that no header can carry (not shown)",
      allowed: "printable ASCII without line breaks",
    };
    throw new InvalidRequestError("apiKey: nothing was sent", [issue]);
  }
  if (key === emulatorKey && !isLoopback(new URL(request.url))) {
    const allowed = "the service's key; the emulator's is for the emulator on this machine";
    throw new InvalidRequestError("apiKey: nothing was sent", [
      { field: "apiKey", got: "the emulator's key", allowed },
    ]);
  }
  request.headers.set("Authorization", key);
}

/** Made once, and at a call: a web Response loads the engine's fetch. */
let nothingLeft: Response | undefined;

/** What one attempt came to: an answer, or why there is none and whether the transport had the request by then. */
type Attempt = { readonly answer: Answer } | NoAnswer;

interface NoAnswer {
  readonly cause: unknown;
  readonly hide: Hide;
  readonly handedOver: boolean;
}

/** How the client's own methods call the service. */
export function createCall(connection: Connection): Call {
  const { retries, tell, time } = connection;
  let client: RawClient | undefined;
  return async (operation, wire, context) => {
    const {
      signal,
      generation,
      patienceMs,
      subject: { kind, model, taskid },
    } = context;
    const from = time.steady();
    let lost = false;
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      client ??= createRawClient(connection);
      const tried = await attemptOnce(connection, client, operation, wire, context);
      const told = { operation: operation.id, kind, model, at: time.now(), durationMs: time.steady() - from, attempt };
      const delayMs =
        patienceMs !== undefined ? undefined : delayBeforeAnother(tried, attempt, generation !== undefined);
      if (delayMs !== undefined) {
        lost ||= "cause" in tried || tried.answer.status >= 500;
        const why =
          "cause" in tried
            ? { status: undefined, error: hideInError(tried.cause, tried.hide) }
            : { status: tried.answer.status, error: undefined };
        tell({ type: "retried", ...told, taskid, delayMs, ...why });
        await time.sleep(delayMs, signal ?? new AbortController().signal);
        continue;
      }
      const isQuery = operation === operations[kind].query && taskid !== undefined;
      try {
        const data = dataOf(tried, lost, operation, context);
        const status = data[operations[kind].statusField];
        if (generation) tell({ type: "generated", ...told, taskid: taskidIn(data) ?? "" });
        else if (isQuery)
          tell({
            type: "queried",
            ...told,
            taskid,
            status: typeof status === "number" ? status : undefined,
            error: undefined,
          });
        return data;
      } catch (error) {
        if (error instanceof OutcomeUnknownError) tell({ type: "outcomeUnknown", ...told, error });
        else if (isQuery) tell({ type: "queried", ...told, taskid, status: undefined, error });
        throw error;
      }
    }
  };

  function dataOf(
    tried: Attempt,
    lost: boolean,
    operation: Operation,
    context: CallContext,
  ): Readonly<Record<string, unknown>> {
    if ("cause" in tried) throw failureOf(tried, operation, context);
    retries.succeeded();
    return openAfter(lost, tried.answer, operation, context.generation);
  }

  /** How long to wait before the request is sent again; undefined where it must not be, or need not. */
  function delayBeforeAnother(attempt: Attempt, attempts: number, paid: boolean): number | undefined {
    if ("answer" in attempt) return retries.afterAnswer(attempt.answer, attempts, paid);
    if (!attempt.handedOver) return undefined;
    const evidence = evidenceIn(attempt.cause);
    if (evidence === "never sent, bad certificate" || (paid && evidence === "unknown")) return undefined;
    return retries.afterFailure(attempts, paid);
  }
}

async function attemptOnce(
  connection: Connection,
  client: RawClient,
  operation: Operation,
  wire: WireFields,
  { generation, signal, patienceMs = Infinity }: CallContext,
): Promise<Attempt> {
  const { time, timeouts, transport } = connection;
  const paid = generation !== undefined;
  const wholeMs = paid ? timeouts.generateMs : Math.min(timeouts.callMs, patienceMs);
  const tooLong = () => new Error(`the call took longer than ${wholeMs} ms`);
  const deadline = new Deadline(time, wholeMs, tooLong, signal);
  const end = time.steady() + wholeMs;
  /** Limits what comes next, within the call. */
  const limit = (ms: number, why: string) => {
    const leftMs = Math.max(0, end - time.steady());
    deadline.restart(Math.min(ms, leftMs), () => (ms < leftMs ? new Error(`${why} ${ms} ms`) : tooLong()));
  };
  const onLeaving = (whole: boolean) => {
    if (arriving) return; // An answer may come before the whole request has left.
    // Not the stall of answers: the system takes megabytes at once, and a slow network is long about them.
    limit(
      timeouts.headersMs,
      whole ? "the request had left, and no answer began within" : "the upload stood still for",
    );
  };
  let arriving = false;
  const onArriving = () => {
    arriving = true;
    limit(timeouts.stallMs, "the answer stood still for");
  };
  let answer: Answer | undefined;
  let handedOver = false;
  let hide: Hide = (text) => text;
  const fetch = async (request: OutgoingRequest): Promise<Response> => {
    const key = await keyOf(connection, deadline.signal);
    hide = connection.hideOf(key);
    addKey(request, key);
    handedOver = true;
    const head = await transport(request, { paid, signal: deadline.signal, onLeaving });
    onArriving();
    answer = await readAnswer(head, onArriving, time.now(), hide);
    // The answer is read here, whatever its status, so openapi-fetch is left nothing to parse.
    return (nothingLeft ??= new Response(null, { status: 204 }));
  };
  try {
    // The cast: the table's paths are those of the client's types, but a table has no literal types.
    await client.POST(operation.path as never, { body: wire, fetch } as never);
    return answer ? { answer } : { cause: new Error("openapi-fetch did not call its fetch"), hide, handedOver };
  } catch (cause) {
    // A transport finds out what a file has become, or that there is no way to the service, before anything is sent.
    if (cause instanceof InvalidRequestError) return { cause, hide, handedOver: false };
    if (deadline.passed && !handedOver)
      return {
        cause: new NeverSentError("no key came, and nothing was sent", deadline.signal.reason),
        hide,
        handedOver,
      };
    // Engines say "aborted" in many ways; the deadline knows why. Only that nothing was sent says more.
    return {
      cause: deadline.passed && !(cause instanceof NeverSentError) ? deadline.signal.reason : cause,
      hide,
      handedOver,
    };
  } finally {
    deadline.end();
  }
}

/** What to throw where no answer came. */
function failureOf(
  { cause: given, hide, handedOver }: NoAnswer,
  operation: Operation,
  { signal, generation, patienceMs }: CallContext,
): unknown {
  // A wait survives that no key could be had for one of its checks.
  if (
    !handedOver &&
    !(given instanceof NeverSentError) &&
    (patienceMs === undefined || signal?.aborted || given instanceof InvalidRequestError)
  )
    return given;
  // The caller's own reason is the caller's to show.
  const cause = signal?.aborted && given === signal.reason ? given : hideInError(given, hide);
  if (handedOver && generation && evidenceIn(given) === "unknown") {
    return new OutcomeUnknownError(`no whole answer came (${messageOf(cause)})`, operation.id, generation, { cause });
  }
  return signal?.aborted ? signal.reason : new ConnectionError(operation.id, cause);
}

/** Opens the envelope; a refusal after an attempt whose answer was lost may be that attempt's own doing. */
function openAfter(
  lost: boolean,
  answer: Answer,
  operation: Operation,
  generation: Generation | undefined,
): Readonly<Record<string, unknown>> {
  try {
    return openEnvelope(answer, operation.id, generation);
  } catch (error) {
    const isDeletion = Object.values(operations).some((kind) => kind.delete === operation);
    if (!lost || !isDeletion || !(error instanceof ServiceError)) throw error;
    throw new ServiceError(
      `${error.message}. An attempt before had its answer lost: perhaps the tasks are already deleted`,
      operation.id,
      answer,
      error,
    );
  }
}
