import { InvalidRequestError, type Issue, type IssueCode } from "@mediagen/sdk/node";

/** Returns an issue. */
export function issueOf(field: string, code: IssueCode, received: string, expected: string, problem?: string): Issue {
  return { field, code, received, expected, ...(problem !== undefined && { problem }) };
}

/** Returns the error of a batch that has sent nothing. */
export function nothingSent(...issues: readonly Issue[]): InvalidRequestError {
  return new InvalidRequestError("runBatch", issues, "Nothing was sent.");
}

/** Returns the error of a batch that stopped after it had started, so that something may have been sent. */
export function stoppedBy(issue: Issue): InvalidRequestError {
  return new InvalidRequestError(
    "runBatch",
    [issue],
    "The batch was stopped. Nothing is billed twice if you run it again.",
  );
}

/** Describes a value, shortened. */
export function describe(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}... (${text.length} characters)` : text;
}

/** Returns the message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the code of a file system's error, such as `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
