/**
 * Everything that the service does not document and the emulator must decide: the default, the kind
 * of value, and what it means. Options, flags, variables of the environment, the control API and
 * the help text come from this table.
 */
export const settings = {
  strict: {
    value: false as boolean,
    kind: "flag",
    what: "also reject mistakes that the service might tolerate",
  },
  statuses: {
    value: { pending: 0, running: 1, succeeded: 2, failed: 3 } as Statuses | "scrambled",
    kind: "statuses",
    what: "integers of the states; scrambled: random ones",
  },
  unknownIds: {
    value: "fail" as "fail" | "ignore",
    kind: "fail|ignore",
    what: "what an unknown task id does",
  },
  wrongKeyStatus: { value: 401 as number, kind: "status", what: "HTTP status of a wrong API key" },
  unknownPathStatus: {
    value: 404 as number,
    kind: "status",
    what: "HTTP status of an unknown path",
  },
  wrongMethodStatus: {
    value: 405 as number,
    kind: "status",
    what: "HTTP status of a method other than POST",
  },
  resultsArrive: {
    value: "together" as "together" | "one by one",
    kind: "together|one by one",
    what: "how several results arrive",
  },
  creditsPerVideoSecond: {
    value: 10 as number,
    kind: "amount",
    what: "price of each second of a video, in credits",
  },
  creditsPerImage: { value: 5 as number, kind: "amount", what: "price of an image, in credits" },
  pendingMs: { value: 1_000 as number, kind: "duration", what: "time for which a task is pending" },
  runningMsPerVideoSecond: {
    value: 1_000 as number,
    kind: "duration",
    what: "time a task runs per second of video",
  },
  runningMsPerImage: {
    value: 1_500 as number,
    kind: "duration",
    what: "time for which a task runs per image",
  },
  queryMovesMs: {
    value: 2_000 as number,
    kind: "duration",
    what: "time by which a query advances an auto clock",
  },
  linksLiveMs: {
    value: 86_400_000 as number,
    kind: "duration",
    what: "time for which the URL of a result is valid",
  },
  generateLatencyMs: {
    value: 0 as number,
    kind: "duration",
    what: "usual time until the response to a generation",
  },
  queryLatencyMs: {
    value: 0 as number,
    kind: "duration",
    what: "usual time until the response to a query",
  },
  downloadLatencyMs: {
    value: 0 as number,
    kind: "duration",
    what: "usual time until a download begins",
  },
  latencyJitter: {
    value: 0 as number,
    kind: "factor",
    what: "variation of latencies; 0.5 means 0.6 to 1.6 times",
  },
  callsPerMinute: {
    value: 0 as number,
    kind: "amount",
    what: "limit on calls per minute, then HTTP 429; 0 means none",
  },
  callsAtOnce: {
    value: 0 as number,
    kind: "amount",
    what: "limit on concurrent calls, then HTTP 429; 0 means none",
  },
} as const;

/** The settings and their values. */
export type Behaviour = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name]["value"];
};

/** The status integer of each state. */
export interface Statuses {
  /** The status of a task that has not started. */
  readonly pending: number;
  /** The status of a task that is running. */
  readonly running: number;
  /** The status of a task whose results are complete. */
  readonly succeeded: number;
  /** The status of a task that has failed. */
  readonly failed: number;
}

/** What the emulator serves, draws and keeps at most. */
export interface Limits {
  /** Of a request body, in bytes. */
  readonly body: number;
  /** Of a text without a documented bound, in characters. */
  readonly text: number;
  /** Of a picture without a documented bound on its size. */
  readonly pixels: number;
  /** Of the calls that are listed. */
  readonly calls: number;
}

/** The usual limits. */
export const usualLimits: Limits = {
  body: 64 * 1024 * 1024,
  text: 100_000,
  pixels: 4096 * 4096,
  calls: 1_000,
};

/** The names of all settings. */
export const settingNames: readonly (keyof Behaviour)[] = Object.keys(
  settings,
) as (keyof Behaviour)[];

/** The defaults of all settings. */
export const defaultBehaviour: Behaviour = Object.fromEntries(
  settingNames.map((name) => [name, settings[name].value]),
) as unknown as Behaviour;

/** Words in a prompt that control the task. */
export const magicWords = {
  /** The task fails. */
  fail: "#fail",
  /** The task takes longer. */
  slow: "#slow",
  /** The generation fails for insufficient credits. */
  credits: "#credits",
} as const;
