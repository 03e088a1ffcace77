import {
  AuthenticationError,
  ConnectionError,
  InsufficientCreditsError,
  InvalidRequestError,
  OutcomeUnknownError,
  ServiceError,
  StoreError,
  TaskFailedError,
  WaitTimeoutError,
} from "@mediagen/sdk";
import { CommanderError, type Command } from "commander";
import { withCommands } from "../terminal/shell-commands.ts";
import { CommandError } from "./command-error.ts";
import { exitCodes } from "./exit-codes.ts";
import { describeIssues } from "./explain-issue.ts";
import { explainUsage, type Explanation } from "./explain-usage.ts";
import { Interrupted } from "./interrupt.ts";

/** The context of an error. */
export interface Circumstances {
  /** The command that was run. */
  readonly command?: Command | undefined;
  /** The task as the command line spells it, if there is one. */
  readonly task?: string | undefined;
  /** Whether the command generates and has no task yet. */
  readonly generates?: boolean | undefined;
  /** The command that continues. */
  readonly resume?: string | undefined;
  /** Returns the commands that resolve a generation of unknown outcome. */
  readonly resolve?: ((id: string) => readonly string[]) | undefined;
  /** The timeout of the wait, as the command line spells it. */
  readonly timeout?: string | undefined;
  /** The idempotency key that the task was generated with. */
  readonly idempotencyKey?: string | undefined;
}

/** Returns a thrown value as an error for the person who runs the command. */
export function explain(error: unknown, circumstances: Circumstances = {}): CommandError {
  if (error instanceof CommandError) return error;
  const [what, advice, exitCode] = explanationOf(error, circumstances);
  return new CommandError(what, advice, exitCode, error, circumstances.task);
}

function explanationOf(error: unknown, circumstances: Circumstances): Explanation {
  const { command, task, generates = false, resume } = circumstances;
  const goOn = resume && withCommands("Continue with:", resume);
  if (error instanceof CommanderError) return explainUsage(error, command);
  if (error instanceof Interrupted) {
    const left = task ? `; ${task} is not lost` : generates ? "; it created no task, so nothing was billed" : "";
    return [error.message + left, goOn ?? "Run the command again.", error.exitCode];
  }
  if (error instanceof InvalidRequestError)
    return [
      describeIssues(error.issues, command),
      generates ? "Nothing was sent. Correct it and run the command again." : afterFix(circumstances),
      task ? exitCodes.failed : exitCodes.usage,
    ];
  return (
    explainTask(error, circumstances) ??
    explainService(error, circumstances) ?? [
      error instanceof Error ? (error.stack ?? error.message) : String(error),
      goOn ?? "This is a bug in mediagen; please report it.",
      exitCodes.failed,
    ]
  );
}

function afterFix({ resume }: Circumstances): string {
  return resume ? withCommands("Fix that, then continue with:", resume) : "Fix that and run the command again.";
}

/** Explains the failure of a task, or that it is unknown whether there is one. */
function explainTask(error: unknown, circumstances: Circumstances): Explanation | undefined {
  const { task, resume, timeout, idempotencyKey } = circumstances;
  if (error instanceof OutcomeUnknownError)
    return [
      `${error.operation}: ${error.reason}; a task may exist and may have been billed, so it was not retried (${error.model}, ${new Date(error.at).toJSON()})`,
      adviceOnUnknown(error, circumstances),
      exitCodes.unknown,
    ];
  if (error instanceof TaskFailedError) {
    const reason = "message" in error.record && error.record.message ? `: ${error.record.message}` : "";
    const advice =
      idempotencyKey === undefined
        ? "If you generate it again, it is billed again."
        : "Its idempotency key returns this task again. To generate it again, which is billed again, use another key.";
    return [`${task ?? error.task.taskid} failed${reason}`, `It will have no results. ${advice}`, exitCodes.failed];
  }
  if (error instanceof WaitTimeoutError) {
    const last = error.cause instanceof Error ? `; the last query failed: ${error.cause.message}` : "";
    return [
      `${task ?? error.task.taskid} was not finished after ${timeout ?? "the timeout"}${last}`,
      resume ? withCommands("Continue with:", resume) : "It is not lost: wait for it again.",
      exitCodes.timeout,
    ];
  }
  return undefined;
}

/** The operation in errors of an image that is read from a URL. */
const imageRead = "fileFrom";
const checkImage = "Nothing was sent. Check the URL of the image, then run the command again.";

/** Explains a failure of the service, the network or this machine. */
function explainService(error: unknown, circumstances: Circumstances): Explanation | undefined {
  const { generates, resume } = circumstances;
  const goOn = resume && withCommands("Continue with:", resume);
  if (error instanceof InsufficientCreditsError)
    return [
      `${error.operation}: insufficient credits (${error.msg ?? error.body})`,
      goOn ?? "No task was created. Add credits and run the command again.",
      exitCodes.credits,
    ];
  if (error instanceof ConnectionError) {
    const { operation, cause } = error;
    if (generates && operation === imageRead) return [error.message, checkImage, exitCodes.failed];
    const what = cause instanceof Error ? `${operation}: ${cause.message}` : error.message;
    return [
      what,
      goOn ??
        `Nothing ${generates ? "was sent" : "is billed twice"}. Check the network and the base URL, then run the command again.`,
      exitCodes.failed,
    ];
  }
  if (error instanceof AuthenticationError) {
    const { operation, status, msg } = error;
    const said = msg === undefined ? "" : `: ${msg}`;
    return [
      `${operation}: the service rejected the API key (HTTP ${status}${said})`,
      adviceOnService(error, circumstances),
      exitCodes.failed,
    ];
  }
  if (error instanceof ServiceError)
    return [rejectionOf(error), adviceOnService(error, circumstances), exitCodes.failed];
  if (error instanceof StoreError && generates && !error.taskMayExist)
    return [
      error.message,
      "Pass --store with a directory that can be written to, or --no-store to record nothing.",
      exitCodes.failed,
    ];
  const isForeseen = error instanceof StoreError || (error instanceof Error && "code" in error);
  return isForeseen ? [error.message, afterFix(circumstances), exitCodes.failed] : undefined;
}

/** Returns the response of the service in words, without the advice for programs. */
function rejectionOf({ operation, status, code, msg, message }: ServiceError): string {
  if (operation === imageRead || (status < 300 && code === undefined)) return message;
  const http = status < 300 ? [] : [`HTTP ${status}`];
  const why = [...http, ...(code === undefined ? [] : [`code ${code}: ${msg ?? ""}`])].join(", ");
  return `${operation}: the service rejected it (${why})`;
}

/** The advice on a generation of unknown outcome, before the two commands that resolve it. */
export const lookForTask =
  "Look in the service's console for the task, or ask its support. Then record its id, or that there is none:";

function adviceOnUnknown({ generationId }: OutcomeUnknownError, { resolve }: Circumstances): string {
  if (generationId === undefined || !resolve)
    return "Before you run this again, look in the service's console for the task, or ask its support. Without --no-store, such a generation is recorded.";
  return withCommands(lookForTask, ...resolve(generationId));
}

function adviceOnService(error: ServiceError, circumstances: Circumstances): string {
  const { command, generates, resume } = circumstances;
  const created = generates ? "No task was created. " : "";
  const again = resume ? withCommands("then continue with:", resume) : "then run the command again.";
  if (error instanceof AuthenticationError) return `${created}Check MEDIAGEN_API_KEY or --key-fd, ${again}`;
  if (generates && error.operation === imageRead) return checkImage;
  if (generates && error.status === 404) {
    const url: unknown = command?.getOptionValue("baseUrl") ?? process.env["MEDIAGEN_BASE_URL"];
    return `${created}Check the base URL ${String(url)}, without the paths of operations, ${again}`;
  }
  if (generates) return "No task was created. Correct what the service names and run the command again.";
  return `Check the task's id and the base URL, ${again}`;
}
