import {
  ConnectionError,
  InsufficientCreditsError,
  mayPass,
  messageOf,
  noResponse,
  OutcomeUnknownError,
  type SentGeneration,
  serviceError,
} from "../errors/errors.ts";
import { shorten } from "../errors/issue.ts";
import { codes } from "../spec/operations.gen.ts";
import { type Answer, isSuccess, namesTask, taskidIn, type Verdict } from "./answer.ts";
import { NeverSentError } from "./evidence.ts";
import { type Hide, hideInError } from "./hide-key.ts";

/** Returns the error of a request without a response; `error` is the reason. */
export function failureWithout(
  error: unknown,
  operation: string,
  generation: SentGeneration | undefined,
  signal: AbortSignal | undefined,
  hide: Hide,
): unknown {
  // The caller's own abort reason is passed on unchanged.
  const cause = signal?.aborted && error === signal.reason ? error : hideInError(error, hide);
  const isUnsent = error instanceof NeverSentError;
  if (generation && !isUnsent) return new OutcomeUnknownError(noResponse(cause), operation, generation, { cause });
  if (signal?.aborted) return signal.reason;
  // The error of a request that was never sent says so itself.
  return new ConnectionError(operation, cause, isUnsent ? messageOf(cause) : undefined);
}

/** Returns the error of a response that is no success; `verdict` is given for a generation, and `note` ends a rejection's message. */
export function failureOf(
  answer: Answer,
  verdict: Verdict | undefined,
  operation: string,
  generation: SentGeneration | undefined,
  note: string,
): unknown {
  const { status, envelope } = answer;
  if (generation && verdict === "unknown")
    return new OutcomeUnknownError(describe(answer), operation, generation, { response: answer });
  const end = (generation ? ". No task was created" : "") + note;
  if (envelope?.code === codes.insufficientCredits) {
    const what = `insufficient credits (code ${envelope.code}: ${envelope.msg})${end}`;
    const advice = "Add credits, then make the same call again.";
    return new InsufficientCreditsError(what, operation, answer, { ...envelope, advice });
  }
  // A query or a deletion is safe to repeat. A generation is here only if it created no task.
  const correct = generation
    ? "Correct what the service names, then generate it again."
    : "Check the task's id and baseUrl.";
  const isRetryable = mayPass(status) || (isSuccess(status) && !envelope);
  const advice = hints[status] ?? (isRetryable ? "It is safe to retry." : correct);
  return serviceError(describeRejection(answer) + end, operation, answer, { ...envelope, isRetryable, advice });
}

const keyHint = "Check the API key (apiKey or MEDIAGEN_API_KEY) and baseUrl.";
/** Advice for an HTTP status. */
const hints: Readonly<Record<number, string>> = {
  401: keyHint,
  403: keyHint,
  404: "Check baseUrl: the paths of operations are added to it.",
  413: "Use smaller files: these are too large for the service or a proxy.",
};

function describeRejection(answer: Answer): string {
  const { status, envelope } = answer;
  const said = envelope?.code === codes.failure ? ` (code ${envelope.code}: ${envelope.msg})` : "";
  if (said || (status >= 400 && status < 500))
    return `the service rejected it${said}${isSuccess(status) ? "" : ` with HTTP ${status}`}`;
  return status >= 500 ? `the service failed (HTTP ${status})` : describe(answer);
}

function describe(answer: Answer): string {
  const { status, envelope } = answer;
  if (isSuccess(status) || (envelope && namesTask(answer)))
    return `the response is not one that the service documents: ${describeBody(answer)}`;
  return `the response was HTTP ${status}${status < 400 ? ", a redirect, which is not followed" : ""}`;
}

function describeBody(answer: Answer): string {
  const { text, envelope } = answer;
  if (text.trim() === "") return "an empty body";
  if (/^\s*</.test(text)) return "an HTML page, not JSON: check baseUrl";
  if (!envelope) return "there is no code in it";
  const { code, msg, data } = envelope;
  if (code === codes.success) return "a success without its data";
  if (!namesTask(answer)) return `the unknown code ${code} (msg: ${msg})`;
  const taskid = taskidIn(data);
  return `code ${code} (msg: ${msg}) with ${taskid === undefined ? "a taskid" : `the task ${shorten(taskid)}`}`;
}
