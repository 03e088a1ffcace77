import { unknownName } from "@mediagen/sdk/kit";
import { millisecondsOf } from "./duration.ts";
import { createRandom } from "./random.ts";

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

interface Kind {
  readonly advice: string;
  has(value: unknown): boolean;
  read(text: string): unknown;
}

const states = ["pending", "running", "succeeded", "failed"] as const;

const kinds: Readonly<Record<string, Kind>> = {
  flag: {
    advice: "true or false",
    has: (value) => typeof value === "boolean",
    read: (text) => ({ true: true, 1: true, false: false, 0: false })[text] ?? text,
  },
  amount: numberFrom(0, Infinity, "a number, at least 0"),
  factor: numberFrom(0, 2, "a number from 0 to 2"),
  status: numberFrom(200, 599, "an HTTP status from 200 to 599"),
  duration: {
    ...numberFrom(0, Infinity, 'milliseconds, at least 0; as text also "20s", "5m" or "1h"'),
    read(text) {
      try {
        return /^[\d.]+$/.test(text) ? Number(text) : millisecondsOf(text);
      } catch {
        return text;
      }
    },
  },
  statuses: {
    advice: 'four different integers (pending, running, succeeded, failed) or "scrambled"',
    has(value) {
      const given = Object.entries(Object(value) as object).filter(([, one]) =>
        Number.isInteger(one),
      );
      const isComplete =
        given.length === 4 && states.every((state) => given.some(([name]) => name === state));
      return (
        value === "scrambled" || (isComplete && new Set(given.map(([, one]) => one)).size === 4)
      );
    },
    read: (text) =>
      /^\d+(,\d+){3}$/.test(text)
        ? Object.fromEntries(text.split(",").map((one, index) => [states[index], Number(one)]))
        : text,
  },
};

function numberFrom(least: number, most: number, advice: string): Kind {
  return {
    advice,
    has: (value) => typeof value === "number" && value >= least && value <= most,
    read: (text) => (text.trim() === "" ? Number.NaN : Number(text)),
  };
}

/**
 * Throws a RangeError if an object has a property of another name, unless it is undefined: a
 * misspelled option would change nothing.
 */
export function rejectUnknown(given: object, what: string, names: readonly string[]): void {
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !names.includes(name))
      throw new RangeError(unknownName(name, what, names).message);
}

/** Returns the kind of a setting: one of those above, or words. */
function kindOf(name: string): Kind {
  rejectUnknown({ [name]: true }, "setting", settingNames);
  const { kind } = settings[name as keyof Behaviour];
  const words = kind.split("|");
  return (
    kinds[kind] ?? {
      advice: words.map((word) => JSON.stringify(word)).join(" or "),
      has: (value) => words.some((word) => word === value),
      read: (text) =>
        words.find((word) => word.replaceAll(" ", "-") === text.replaceAll(" ", "-")) ?? text,
    }
  );
}

/**
 * Returns valid settings without those that are undefined. Throws a RangeError if one is invalid.
 */
export function checkSettings(given: unknown): Partial<Behaviour> {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new RangeError("behaviour: pass an object with the settings to change.");
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of entries) check(name, name, value, value);
  return Object.fromEntries(entries);
}

/** Parses the value of a setting. Throws a RangeError that names the source of the text. */
export function readSetting(name: string, text: string, source: string): unknown {
  const value = kindOf(name).read(text);
  check(name, source, value, text);
  return value;
}

function check(name: string, source: string, value: unknown, given: unknown): void {
  const { has, advice } = kindOf(name);
  if (!has(value))
    throw new RangeError(`${source}: ${JSON.stringify(given)} is not valid. Use ${advice}.`);
}

/** Returns the statuses of a behaviour; scrambled ones are four different integers below 1,000. */
export function statusesOf({ statuses }: Behaviour, seed: number): Statuses {
  if (statuses !== "scrambled") return statuses;
  const random = createRandom(seed ^ 0x5eed);
  const drawn = new Set<number>();
  while (drawn.size < 4) drawn.add(Math.floor(random() * 1_000));
  const [pending = 0, running = 0, succeeded = 0, failed = 0] = drawn;
  return { pending, running, succeeded, failed };
}

/** Words in a prompt that control the task. */
export const magicWords = {
  /** The task fails. */
  fail: "#fail",
  /** The task takes longer. */
  slow: "#slow",
  /** The generation fails for insufficient credits. */
  credits: "#credits",
} as const;
