import {
  type SentGeneration,
  type ServiceResponse,
  InsufficientCreditsError,
  mayPass,
  OutcomeUnknownError,
  serviceError,
} from "../errors/errors.ts";
import { shorten } from "../errors/issue.ts";
import { isObject } from "../spec/is-object.ts";
import { codes } from "../spec/operations.gen.ts";

interface Envelope {
  readonly code: number;
  readonly msg: string;
  readonly data: unknown;
}

/**
 * Returns the `data` of a successful response, and throws the error of any other. For a generation the envelope takes precedence over
 * the HTTP status: a task under HTTP 500 is a task, and it may have been billed.
 */
export function openEnvelope(
  response: ServiceResponse,
  operation: string,
  generation?: SentGeneration,
  /** The end of a rejection's message. */
  note = "",
): Readonly<Record<string, unknown>> {
  const { status } = response;
  const envelope = readEnvelope(response);
  if (envelope?.code === codes.success && isObject(envelope.data)) {
    if (generation ? taskidIn(envelope.data) !== undefined : isSuccess(status)) return envelope.data;
  }
  let what =
    isSuccess(status) || (envelope && namesTask(response))
      ? `the response is not one that the service documents: ${describeResponse(response, envelope)}`
      : `the response was HTTP ${status}${status < 400 ? ", a redirect, which is not followed" : ""}`;
  if (generation && !isRejection(response)) throw new OutcomeUnknownError(what, operation, generation, { response });
  const end = (generation ? ". No task was created" : "") + note;
  if (envelope?.code === codes.insufficientCredits) {
    what = `insufficient credits (code ${envelope.code}: ${envelope.msg})${end}`;
    const advice = "Add credits, then make the same call again.";
    throw new InsufficientCreditsError(what, operation, response, { ...envelope, advice });
  }
  const said = envelope?.code === codes.failure ? ` (code ${envelope.code}: ${envelope.msg})` : "";
  if (said || (status >= 400 && status < 500))
    what = `the service rejected it${said}${isSuccess(status) ? "" : ` with HTTP ${status}`}`;
  else if (status >= 500) what = `the service failed (HTTP ${status})`;
  // A query or a deletion is safe to repeat. A generation is here only if it created no task.
  const correct = generation
    ? "Correct what the service names, then generate it again."
    : "Check the task's id and baseUrl.";
  const isRetryable = mayPass(status) || (isSuccess(status) && !envelope);
  const advice = hints[status] ?? (isRetryable ? "It is safe to retry." : correct);
  throw serviceError(what + end, operation, response, { ...envelope, isRetryable, advice });
}

/** Returns whether a response is an envelope. */
export function isEnvelope(response: ServiceResponse): boolean {
  return readEnvelope(response) !== undefined;
}

/** Returns whether a response says that the credits do not suffice. */
export function isCreditsOut(response: ServiceResponse): boolean {
  return readEnvelope(response)?.code === codes.insufficientCredits;
}

/** Returns the task id in the response to a generation, even if it is a number. */
export function taskidIn(data: Readonly<Record<string, unknown>>): string | undefined {
  const { taskid } = data;
  // A larger number has lost digits when it was parsed, and with them the task.
  if (Number.isSafeInteger(taskid)) return String(taskid);
  return typeof taskid === "string" && taskid !== "" ? taskid : undefined;
}

/** Returns whether a response names a task. A rejection that does contradicts itself. */
function namesTask({ text }: ServiceResponse): boolean {
  return /"taskid"\s*:(?!\s*(null|""))/.test(text);
}

/** Returns whether a response says for sure that a generation created no task. */
export function isRejection(response: ServiceResponse): boolean {
  const { status, redirected } = response;
  const isClientError = status >= 400 && status < 500;
  // The host that redirected it may have accepted it.
  if (redirected) return false;
  const envelope = readEnvelope(response);
  if (envelope && namesTask(response)) return false;
  if (envelope?.code === codes.insufficientCredits) return true;
  if (envelope?.code === codes.failure) return isSuccess(status) || isClientError;
  if (envelope || mayHoldTask(response)) return false;
  return (isClientError && status !== 408 && status !== 409) || status === 501;
}

/** Returns whether the HTTP status alone says what a response to a generation means. */
export function isStatusAlone(response: ServiceResponse): boolean {
  return !response.redirected && !isEnvelope(response) && !mayHoldTask(response);
}

/** Returns whether a body may be a truncated envelope: it names a task, or begins as JSON and cannot be read. */
function mayHoldTask({ json, text }: ServiceResponse): boolean {
  return text.includes("taskid") || (json === undefined && /^\W{0,10}[{[]/.test(text));
}

/** Returns whether an HTTP status is a success. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function readEnvelope({ json }: ServiceResponse): Envelope | undefined {
  if (!isObject(json) || typeof json["code"] !== "number") return undefined;
  const { code, msg, data } = json;
  return { code, msg: typeof msg === "string" ? shorten(msg) : "no message", data };
}

const keyHint = "Check the API key (apiKey or MEDIAGEN_API_KEY) and baseUrl.";
/** Advice for an HTTP status. */
const hints: Readonly<Record<number, string>> = {
  401: keyHint,
  403: keyHint,
  404: "Check baseUrl: the paths of operations are added to it.",
  413: "Use smaller files: these are too large for the service or a proxy.",
};

function describeResponse(response: ServiceResponse, envelope: Envelope | undefined): string {
  const { text } = response;
  if (text.trim() === "") return "an empty body";
  if (/^\s*</.test(text)) return "an HTML page, not JSON: check baseUrl";
  if (!envelope) return "there is no code in it";
  const { code, msg, data } = envelope;
  if (code === codes.success) return "a success without its data";
  if (!namesTask(response)) return `the unknown code ${code} (msg: ${msg})`;
  const taskid = isObject(data) ? taskidIn(data) : undefined;
  return `code ${code} (msg: ${msg}) with ${taskid === undefined ? "a taskid" : `the task ${shorten(taskid)}`}`;
}
