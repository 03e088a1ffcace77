import { unknownName } from "@mediagen/sdk/kit";
import { millisecondsOf } from "./duration.ts";
import { createRandom } from "./random.ts";
import { type Behaviour, settingNames, settings, type Statuses } from "./settings.ts";

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
