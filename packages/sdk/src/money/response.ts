import { mayPass, type ServiceResponse } from "../errors/errors.ts";
import { codes } from "../spec/operations.gen.ts";
import { NeverSentError } from "./evidence.ts";

/** A response of the service, without the API key. */
export interface Answer extends ServiceResponse {
  readonly text: string;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Whether the body is an envelope, may be a cut one, or mentions a task id. If not, the HTTP
   * status says all that there is to know.
   */
  readonly mayHoldTask: boolean;
  /** The id of the task that the body names, also if it cannot be read; "" if the id cannot. */
  readonly namedTask: string | undefined;
  readonly redirected: boolean;
  readonly verdict: Verdict;
}

/** One request: its response, or the error instead of one. */
export interface Tried {
  readonly answer?: Answer;
  readonly error?: unknown;
}

export type Verdict = "created" | "noCredits" | "rejected" | "unknown";

/**
 * Reads the verdict on a generation. The rows are read from the top: the envelope decides before
 * the HTTP status.
 */
export function verdictOn(answer: Omit<Answer, "verdict">): Verdict {
  const { status, code, data, redirected, mayHoldTask, namedTask } = answer;
  if (code === codes.success && taskidIn(data) !== undefined) return "created";
  // The host that redirected it may have accepted it.
  if (redirected) return "unknown";
  // A rejection that names a task contradicts itself.
  if (namedTask !== undefined) return "unknown";
  if (code === codes.insufficientCredits) return "noCredits";
  if (code === codes.failure)
    return isSuccess(status) || isClientError(status) ? "rejected" : "unknown";
  if (mayHoldTask) return "unknown";
  // A gateway that gave up waiting may have passed the request on.
  if (status === 408 || status === 409) return "unknown";
  return isClientError(status) || status === 501 ? "rejected" : "unknown";
}

/**
 * Returns whether a generation may be resent: only if it provably created no task. The caller
 * may add statuses.
 */
export function mayResend({ answer, error }: Tried, resendAfter: readonly number[] = []): boolean {
  if (!answer) return error instanceof NeverSentError && !error.isFinal;
  const { status, verdict, retryAfterMs, redirected, mayHoldTask } = answer;
  if (status !== 429 && !resendAfter.includes(status)) return false;
  if (status !== 503) return verdict === "rejected";
  // Only the caller knows what 503 means at this service, and only without an envelope.
  return retryAfterMs !== undefined && !redirected && !mayHoldTask;
}

/**
 * Returns whether a query or a deletion may be repeated. A success that cannot be read counts as
 * no response.
 */
export function mayRepeat({ answer, error }: Tried): boolean {
  if (!answer) return !(error instanceof NeverSentError && error.isFinal);
  const { status, code, verdict } = answer;
  if (verdict === "noCredits") return false;
  return status === 429 || (code === undefined && (isSuccess(status) || mayPass(status)));
}

export function taskidIn(data: Answer["data"]): string | undefined {
  const taskid = data?.["taskid"];
  // A larger number has lost digits when it was parsed, and with them the task.
  if (Number.isSafeInteger(taskid)) return String(taskid);
  return typeof taskid === "string" && taskid !== "" ? taskid : undefined;
}

/**
 * Returns whether a rejected query says that the service does not know the task. Any other
 * rejection says nothing about it.
 */
export function saysUnknownTask({
  status,
  code,
}: Pick<ServiceResponse, "status" | "code">): boolean {
  return code === codes.failure && (isSuccess(status) || status === 404);
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function isClientError(status: number): boolean {
  return status >= 400 && status < 500;
}
