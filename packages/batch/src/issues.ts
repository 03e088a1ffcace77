import { InvalidRequestError, type Issue, MediaGenError } from "@mediagen/sdk/node";

/** Returns the error of a batch that has sent nothing. */
export function nothingSent(...issues: readonly Issue[]): InvalidRequestError {
  return new InvalidRequestError("runBatch", issues, "Nothing was sent.");
}

const stopped = "The batch was stopped. Nothing is billed twice if you run it again.";

/** Returns the error of a batch that stopped after it had started, so that something may have been sent. */
export function stoppedBy(issue: Issue): InvalidRequestError {
  return new InvalidRequestError("runBatch", [issue], stopped, "maybe");
}

/** Returns the error of a batch for an error that ended it, but is about one line or request. Others are returned unchanged. */
export function ofRun(error: unknown, billed: MediaGenError["billed"]): unknown {
  if (billed === "no" || !MediaGenError.is(error) || error.billed !== "no") return error;
  const { message, advice, isRetryable } = error;
  return new MediaGenError(message.replace(advice, "").trimEnd(), {
    cause: error,
    billed,
    isRetryable,
    advice: stopped,
  });
}

/** Returns the issues of a field as those of a field with another name. */
export function inField(name: string, issues: readonly Issue[]): readonly Issue[] {
  return issues.map(({ field, code, message }) => ({ field: name, code, message: name + message.slice(field.length) }));
}

/** Returns the message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the code of a file system's error, such as `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
