import { type Answer, InsufficientCreditsError, OutcomeUnknownError, ServiceError, shorten } from "../errors/errors.ts";
import { isObject } from "../is-object.ts";
import { codes } from "../spec/operations.gen.ts";
import type { Generation } from "../task/generation.ts";

interface Envelope {
  readonly code: number;
  readonly msg: string;
  readonly data: unknown;
}

/**
 * The `data` of an answer that is a success; every other answer is thrown as what it means. The HTTP status is looked at
 * first, then the shape. This is the one place that decides it.
 */
export function openEnvelope(
  answer: Answer,
  operation: string,
  generation?: Generation,
): Readonly<Record<string, unknown>> {
  const { status } = answer;
  const envelope = readEnvelope(answer);
  if (generation && !isSettled(status)) {
    throw new OutcomeUnknownError(`the answer was HTTP ${status}`, operation, generation, { answer });
  }
  if (envelope?.code === codes.insufficientCredits) {
    const what = `insufficient credits (code ${envelope.code}: ${envelope.msg}). Add credits, then make the same call again`;
    throw new InsufficientCreditsError(what, operation, answer, envelope);
  }
  if (envelope?.code === codes.failure) {
    const what = `the service refused (code ${envelope.code}: ${envelope.msg})${describeStatus(status)}`;
    throw new ServiceError(what, operation, answer, envelope);
  }
  if (status < 200 || status > 299)
    throw new ServiceError(`the service refused${describeStatus(status)}`, operation, answer, envelope);
  if (envelope?.code === codes.success && isObject(envelope.data)) {
    if (!generation || taskidIn(envelope.data) !== undefined) return envelope.data;
  }
  const what = `the answer is not one that the service documents: ${describeAnswer(answer, envelope)}`;
  if (generation) throw new OutcomeUnknownError(what, operation, generation, { answer });
  throw new ServiceError(what, operation, answer, envelope);
}

/** Whether an answer is an envelope. */
export function isEnvelope(answer: Answer): boolean {
  return readEnvelope(answer) !== undefined;
}

/** Whether an answer says that the credits are out. */
export function isCreditsOut(answer: Answer): boolean {
  return readEnvelope(answer)?.code === codes.insufficientCredits;
}

/** The task id in what a generation answered, also where it came as a number. */
export function taskidIn(data: Readonly<Record<string, unknown>>): string | undefined {
  const { taskid } = data;
  // A greater number has lost digits when it was read, and with them the task.
  if (Number.isSafeInteger(taskid)) return String(taskid);
  return typeof taskid === "string" && taskid !== "" ? taskid : undefined;
}

/** Whether an answer of this status says for sure what became of a generation, if it can be read. */
function isSettled(status: number): boolean {
  if (status === 408 || status === 409) return false;
  return (status >= 200 && status < 300) || (status >= 400 && status < 500) || status === 501;
}

function readEnvelope({ json }: Answer): Envelope | undefined {
  if (!isObject(json) || typeof json["code"] !== "number") return undefined;
  const { code, msg, data } = json;
  return { code, msg: typeof msg === "string" ? shorten(msg) : "no message", data };
}

function describeStatus(status: number): string {
  if (status >= 200 && status < 300) return "";
  const hint = ": the API key is missing or not accepted. Set apiKey, or MEDIAGEN_API_KEY in the environment";
  return ` with HTTP ${status}${status === 401 || status === 403 ? hint : ""}`;
}

function describeAnswer({ text }: Answer, envelope: Envelope | undefined): string {
  if (text.trim() === "") return "an empty body";
  if (!envelope) return "no envelope with a code";
  if (envelope.code !== codes.success) return `the code ${envelope.code} is unknown (${envelope.msg})`;
  return "a success without its data";
}
