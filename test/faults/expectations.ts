import type { Fault } from "./raw-server.ts";

/** What is requested: of the service, or of the host of a result. */
export type Requested = "generate" | "query" | "delete" | "download";

/**
 * What a call comes to: an error's name, a taskid, or "file"; how many requests the server has seen
 * by then; and how long the client paused before each retry, in milliseconds.
 */
export type Expected = readonly [outcome: string, heads: number, pauses?: readonly number[]];

/** The client's pauses with two retries, if the server names none. */
export const backoff: readonly number[] = [250, 500];
/** The present, on the client's clock. */
export const now: number = Date.UTC(2026, 10, 21);

/** A fault, and what comes of it, with two retries. A deletion is repeated as a query is. */
export interface FaultRow extends Fault {
  readonly name: string;
  readonly generate: Expected;
  readonly query: Expected;
  readonly download: Expected;
  /** What differs with the runtime's fetch. */
  readonly onFetch?: Partial<Record<Requested, Expected>> & { readonly because: string };
  /** Connections that a generation may take, if that is not one for each request. */
  readonly connections?: number;
  /**
   * Whether the form has a file of some megabytes: on node:http only, because fetch can end the
   * process then.
   */
  readonly large?: boolean;
  /** Whether the client has used the server before, so that there is a connection. */
  readonly warm?: boolean;
}

export type Outcomes = Pick<FaultRow, "generate" | "query" | "download">;

export const outcomes = (generate: Expected, query: Expected, download: Expected): Outcomes => ({
  generate,
  query,
  download,
});
export const all = (expected: Expected) => outcomes(expected, expected, expected);

export const neverSent = all(["ConnectionError", 0, backoff]);
export const badCertificate = outcomes(
  ["ConnectionError", 0],
  ["ConnectionError", 0],
  ["ConnectionError", 0, backoff],
);
export const unread: Outcomes = { ...neverSent, generate: ["OutcomeUnknownError", 0] };
export const lost = outcomes(
  ["OutcomeUnknownError", 1],
  ["ConnectionError", 3],
  ["ConnectionError", 3],
);
/** No response that the service documents. As a result it is what it is. */
export const undocumented = outcomes(["OutcomeUnknownError", 1], ["ServiceError", 1], ["file", 1]);
/** The same, and no result either. */
export const unusable: Outcomes = { ...undocumented, download: ["ServiceError", 1] };
/** A success that cannot be read. */
export const unreadable = outcomes(["OutcomeUnknownError", 1], ["ServiceError", 3], ["file", 1]);
/** No response, and as a result it is too large or in no known encoding. */
export const undecodable: Outcomes = { ...lost, download: ["ServiceError", 1] };
export const rejected = all(["ServiceError", 1]);
export const limited = all(["ServiceError", 3]);
export const down: Outcomes = { ...limited, generate: ["OutcomeUnknownError", 1] };
export const succeeded = outcomes(["t-1", 1], ["t-1", 1], ["file", 1]);
/** A result whose URL is rejected gets a new URL, once. */
export const expiredLink: Outcomes = { ...rejected, download: ["ServiceError", 2, []] };
export const compressed = {
  ...succeeded,
  onFetch: {
    download: ["ServiceError", 1],
    because: "it does not notice if the end of compressed bytes is missing",
  },
} satisfies Partial<FaultRow>;
export const redirected = {
  query: ["ConnectionError", 3],
  because: "fetch reports a redirect as a failure",
} as const;

export const pausing = (
  pauses: readonly number[],
  { generate, query, download }: Outcomes,
): Outcomes => {
  const paused = ([outcome, heads]: Expected): Expected => [
    outcome,
    heads,
    pauses.slice(0, heads - 1),
  ];
  return outcomes(paused(generate), paused(query), paused(download));
};
