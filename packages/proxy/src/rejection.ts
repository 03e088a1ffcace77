import {
  type InvalidRequestError,
  type Issue,
  MediaGenError,
  type ServiceError,
} from "@mediagen/sdk";
import { service } from "@mediagen/sdk/kit";
import type { ProxyForm } from "./options.ts";

/** The delay before another try if the service requests none. */
const againMs = 5_000;
const mostIssues = 5;

/**
 * Thrown if a page gets no task or record. Its client reads the status. Only 502 means that a task
 * may exist.
 */
export class Rejection extends Error {
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  /** @param cause reported to `onError`, but not to the page */
  constructor(status: number, message: string, cause?: unknown, retryAfterMs?: number) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Runs a function of the user's code. If it throws, nothing has been sent. */
export async function ownCode<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new Rejection(424, "The server could not check the request. Nothing was sent.", error);
  }
}

/** Rejects invalid fields of a page. Later issues in a form are mistakes of the server's code. */
export function rejectFields(issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const rest = issues.length - mostIssues;
  const more = rest > 0 ? [`There are ${rest} more problems.`] : [];
  throw new Rejection(
    422,
    [...issues.slice(0, mostIssues).map(({ message }) => message), ...more].join(" "),
  );
}

/**
 * Throws the rejection for a failed generation. It says whether a task may exist, but nothing about
 * the service.
 */
export function rejectGeneration(error: unknown): never {
  // An error from elsewhere proves nothing. The other form of a reused key may have been billed.
  if (!(error instanceof MediaGenError) || error.billed !== "no")
    throw new Rejection(502, "The outcome is unknown.", error);
  // The cast: only errors of responses have these.
  const { status, retryAfterMs = againMs } = error as MediaGenError & Partial<ServiceError>;
  if (error.isRetryable)
    throw new Rejection(429, "No task was created. Try again later.", error, retryAfterMs);
  if (status !== undefined) throw new Rejection(200, "The service rejected the generation.", error);
  // The page's form was valid, so this is a mistake in the server's code, or a certificate.
  throw new Rejection(424, "The server could not send the generation. Nothing was sent.", error);
}

/** Throws if `beforeGenerate` has left out a file of the page, which would be paid without it. */
export function rejectDroppedFile(sent: ProxyForm, returned: ProxyForm | string): void {
  if (typeof returned === "string") return;
  for (const [field, value] of Object.entries(sent)) {
    const hasFile = [value].flat().some((one) => one instanceof Blob);
    if (hasFile && !Object.hasOwn(returned, field)) {
      throw new Error(
        `beforeGenerate returned a form without ${field}, a file that the page sent. Return ${field} as well, or ${field}: undefined to send none.`,
      );
    }
  }
}

/** Throws the rejection for a failed query with these fields of the page. */
export function rejectQuery(error: unknown, fields: readonly string[]): never {
  // The cast: only errors of some classes have these.
  const {
    status = 502,
    code,
    retryAfterMs,
    issues,
  } = Object(error) as Partial<ServiceError & InvalidRequestError>;
  if (issues?.every(({ field }) => fields.includes(field))) rejectFields(issues);
  if (issues) throw new Rejection(424, "The server could not send the query.", error);
  if (status === 429) throw new Rejection(429, "Try again later.", error, retryAfterMs);
  // The service may not know a new task yet. The page's client handles that.
  if (status < 400 && code === service.codes.failure)
    throw new Rejection(200, "The service rejected the query.");
  throw new Rejection(502, "The query failed. It is safe to repeat.", error);
}

const noStore = { "cache-control": "no-store" };

/** Returns the response of an operation that succeeded. */
export function success(data: object): Response {
  return Response.json({ code: service.codes.success, msg: "success", data }, { headers: noStore });
}

/**
 * Returns a response that the page's client reads as the same failure. Unexpected errors are an
 * unknown outcome.
 */
export function responseOf(error: unknown): Response {
  const { status, message, retryAfterMs } =
    error instanceof Rejection ? error : new Rejection(502, "unknown");
  // An envelope would mean that there is no task.
  if (status >= 500) return new Response(message, { status, headers: noStore });
  const after =
    retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1000)) };
  return Response.json(
    { code: service.codes.failure, msg: message },
    { status, headers: { ...noStore, ...after } },
  );
}
