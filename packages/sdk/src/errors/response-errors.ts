import type { Kind } from "../spec/operation.ts";
import { MediaGenError } from "./errors.ts";
import { shorten } from "./issue.ts";

/** An HTTP response of the service, read completely. */
export interface ServiceResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The body as text, without the key. */
  readonly text: string;
  /** The body, if it is JSON, without the key. */
  readonly json?: unknown;
  /** The delay before another try that the service requests, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the caller's fetch function followed a redirect to it. */
  readonly redirected?: boolean | undefined;
  /** Returns the id that the service, or a proxy before it, gave the request. */
  readonly requestId?: () => string | undefined;
  /** Returns the headers, without the key and without cookies. */
  readonly headers?: () => ResponseHeaders;
}

/** The headers of a response, by their names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** A generation that was sent, as errors describe it. */
export interface SentGeneration {
  readonly kind: Kind;
  readonly model: string;
  /** The SHA-256 of the form, in hexadecimal; undefined without a store. */
  readonly digest?: string | undefined;
  /** The id of its record in the store; undefined without a store. */
  readonly generationId?: string | undefined;
  /** The time when its attempt began, in milliseconds since 1970. */
  readonly at: number;
}

/** The service responded, and the response is not a success. A generation that ends in this created no task. */
export class ServiceError extends MediaGenError {
  override readonly name: string = "ServiceError";
  /** The operation's id in the service's description, such as `queryVideoTask`. */
  declare readonly operation: string;
  /** The HTTP status. */
  declare readonly status: number;
  /** The code of the envelope; undefined if the response was not an envelope. */
  declare readonly code: number | undefined;
  /** The message of the envelope; undefined if the response was not an envelope. */
  declare readonly msg: string | undefined;
  /** The start of the response's body. */
  declare readonly body: string;
  /** The delay before another try that the service requests, in milliseconds. */
  declare readonly retryAfterMs: number | undefined;
  /** The id that the service, or a proxy in front of it, gave the request. Include it when you contact support. */
  declare readonly requestId: string | undefined;
  /** The headers of the response, without the key and without cookies. */
  declare readonly headers: ResponseHeaders;

  constructor(
    what: string,
    operation: string,
    response: ServiceResponse,
    facts: Partial<Pick<ServiceError, "code" | "msg" | "isRetryable" | "task">> & Pick<ServiceError, "advice">,
  ) {
    const { status, retryAfterMs } = response;
    const { code, msg, isRetryable = mayPass(status), advice, task } = facts;
    const own = { operation, status, code, msg, retryAfterMs, isRetryable, advice, task };
    super(`${operation}: ${what}.`, { ...own, ...shown(response) });
  }
}

/** Returns the parts of a response that its errors show. */
function shown(response: ServiceResponse | undefined): Pick<OutcomeUnknownError, "body" | "requestId" | "headers"> {
  const { text, requestId, headers } = response ?? {};
  return { body: text === undefined ? text : shorten(text), requestId: requestId?.(), headers: headers?.() ?? {} };
}

/** Returns whether an HTTP status may pass: the service is busy or fails. */
export function mayPass(status: number): boolean {
  return status === 429 || (status >= 500 && status !== 501);
}

/** HTTP 401 or 403: the API key is missing, is not valid, or lacks a permission. */
export class AuthenticationError extends ServiceError {
  override readonly name = "AuthenticationError";
}

/** HTTP 404: the service has nothing at this URL. Check `baseUrl`. */
export class NotFoundError extends ServiceError {
  override readonly name = "NotFoundError";
}

/**
 * HTTP 429: retries did not help, or the service asks to wait for more than a minute. `retryAfterMs` holds how long, if
 * the service says so.
 */
export class RateLimitError extends ServiceError {
  override readonly name = "RateLimitError";
}

/** The balance does not cover the request. Add credits, then make the same call again. */
export class InsufficientCreditsError extends ServiceError {
  override readonly name = "InsufficientCreditsError";
  override readonly isRetryable = false;
}

/**
 * A generation was sent and its outcome is unknown: a task may exist and may have been billed. The SDK does not retry
 * it. Before you do, look for the task in the service's console, or ask its support.
 */
export class OutcomeUnknownError extends MediaGenError {
  override readonly name = "OutcomeUnknownError";
  /** The operation's id in the service's description. */
  declare readonly operation: string;
  /** The kind of its results: video or image. */
  declare readonly kind: Kind;
  /** The model of the generation. */
  declare readonly model: string;
  /** The SHA-256 of the form with its files, in hexadecimal; undefined without a store. */
  declare readonly digest: string | undefined;
  /** The time when the attempt began, in milliseconds since 1970. */
  declare readonly at: number;
  /** The id of its record in the store, for `media.resolve`; undefined without a store. */
  declare readonly generationId: string | undefined;
  /** The reason why there is no usable response. */
  declare readonly reason: string;
  /** The HTTP status, if there was a response. */
  declare readonly status: number | undefined;
  /** The start of the response's body, if there was one. */
  declare readonly body: string | undefined;
  /** The id that the service, or a proxy in front of it, gave the request, if there was a response with one. */
  declare readonly requestId: string | undefined;
  /** The headers of the response, without the key and without cookies; empty if there was none. */
  declare readonly headers: ResponseHeaders;

  constructor(
    reason: string,
    operation: string,
    { kind, model, digest, at, generationId }: SentGeneration,
    { response, cause }: { readonly response?: ServiceResponse; readonly cause?: unknown },
  ) {
    const then = generationId
      ? `Then call media.resolve("${generationId}", { taskid }), or with "notCreated" if there is none.`
      : "A client with a store would have recorded it.";
    // Not toISOString, which throws if the clock of the options is wrong.
    const advice = `Before you generate it again, look in the service's console, or ask its support: a task of ${model} at ${new Date(at).toJSON()}. ${then}`;
    const what = `${operation}: ${reason}. A task may exist and may have been billed, so it was not retried.`;
    const own = { operation, kind, model, digest, at, generationId, reason, status: response?.status };
    super(what, { billed: "maybe", advice, cause, ...own, ...shown(response) });
  }
}

const classes: Readonly<Record<number, typeof ServiceError>> = {
  401: AuthenticationError,
  403: AuthenticationError,
  404: NotFoundError,
  429: RateLimitError,
};

/** Creates the error of a response, in the class of its HTTP status. */
export function serviceError(...about: ConstructorParameters<typeof ServiceError>): ServiceError {
  const [, , { status }] = about;
  return new (classes[status] ?? ServiceError)(...about);
}
