import type { Behaviour } from "./behaviour.ts";
import { unknownName } from "./closest.ts";
import { millisecondsOf } from "./duration.ts";

/** The valid values of a setting. */
interface Values {
  /** Placeholder for the value in help. */
  readonly shown: string;
  /** The valid values, for error messages. */
  readonly advice: string;
  has(value: unknown): boolean;
  /** Parses a text. The result may be invalid for the setting. */
  read(text: string): unknown;
}

/** One setting. The command, the environment, the control API and the options all use this definition. */
export interface Setting<Value = unknown> {
  /** The default. */
  readonly value: Value;
  readonly values: Values;
  /** Description, as one line of help. */
  readonly what: string;
}

function numberFrom(least: number, most: number = Infinity, shown = "N"): Values {
  return {
    shown,
    advice: `a number${most === Infinity ? `, at least ${least}` : ` from ${least} to ${most}`}`,
    has: (value) => typeof value === "number" && value >= least && value <= most,
    read: (text) => (text.trim() === "" ? Number.NaN : Number(text)),
  };
}

const amount = numberFrom(0);
const above = numberFrom(Number.MIN_VALUE);
const side = numberFrom(1, 16_384);
const factor = numberFrom(0, 10);
const status = { ...numberFrom(200, 599, "STATUS"), advice: "an HTTP status from 200 to 599" };

const duration: Values = {
  ...amount,
  shown: "TIME",
  advice: 'milliseconds, at least 0; as text also "20s", "5m" or "1h"',
  read: (text) => (/^[\d.]+$/.test(text) ? Number(text) : durationOf(text)),
};

function durationOf(text: string): unknown {
  try {
    return millisecondsOf(text);
  } catch {
    return text;
  }
}

function oneOf(...words: readonly string[]): Values {
  return {
    shown: words.map((word) => word.replaceAll(" ", "-")).join("|"),
    advice: words.map((word) => JSON.stringify(word)).join(" or "),
    has: (value) => words.some((word) => word === value),
    read: (text) => words.find((word) => word === text || word.replaceAll(" ", "-") === text) ?? text,
  };
}

const yesOrNo: Values = {
  shown: "",
  advice: "true or false",
  has: (value) => typeof value === "boolean",
  read: (text) => ({ true: true, 1: true, false: false, 0: false })[text] ?? text,
};

const states = ["pending", "running", "succeeded", "failed"];
const statuses: Values = {
  shown: "N,N,N,N",
  advice: 'four different integers (pending, running, succeeded, failed) or "scrambled"',
  has(value) {
    if (value === "scrambled") return true;
    if (typeof value !== "object" || value === null) return false;
    const given = Object.entries(value).filter(([state, one]) => states.includes(state) && Number.isInteger(one));
    return new Set(given.map(([, one]) => one)).size === 4 && Object.keys(value).length === 4;
  },
  read: (text) =>
    /^\d+(,\d+){3}$/.test(text)
      ? Object.fromEntries(text.split(",").map((one, index) => [states[index], Number(one)]))
      : text,
};

function setting<Value>(value: Value, values: Values, what: string): Setting<Value> {
  return { value, values, what };
}

/** All settings by name. Everything else is derived from this list. */
export const settings: { readonly [Name in keyof Behaviour]: Setting<Behaviour[Name]> } = {
  strict: setting(false, yesOrNo, "also reject requests whose mistakes the service might tolerate"),
  statuses: setting({ pending: 0, running: 1, succeeded: 2, failed: 3 }, statuses, "status integers, or scrambled"),
  unknownIds: setting("fail", oneOf("fail", "ignore"), "the outcome of a call with an unknown task id"),
  wrongKeyStatus: setting(401, status, "HTTP status of a wrong API key"),
  unknownPathStatus: setting(404, status, "HTTP status of an unknown path"),
  wrongMethodStatus: setting(405, status, "HTTP status of a method other than POST"),
  resultsArrive: setting("together", oneOf("together", "one by one"), "how several results arrive"),
  creditsPerVideoSecond: setting(10, amount, "price of each second of a video, in credits"),
  creditsPerImage: setting(5, amount, "price of an image, in credits"),
  pendingMs: setting(1_000, duration, "time for which a task is pending"),
  runningMsPerVideoSecond: setting(1_000, duration, "time for which a task runs per second of video"),
  runningMsPerImage: setting(1_500, duration, "time for which a task runs per image"),
  slowFactor: setting(20, amount, "how much longer a task with #slow in its prompt takes"),
  queryMovesMs: setting(2_000, duration, "time by which a query advances an auto clock"),
  linksLiveMs: setting(86_400_000, duration, "time for which the URL of a result is valid"),
  expiredLinkStatus: setting(403, status, "HTTP status of a URL that has expired"),
  generateLatencyMs: setting(0, duration, "how long the response to a generation usually takes"),
  queryLatencyMs: setting(0, duration, "how long the response to a query usually takes"),
  downloadLatencyMs: setting(0, duration, "how long it usually takes until a download begins"),
  latencyJitter: setting(0, factor, "how much latencies vary; 0.5 is 0.6 to 1.6 times as long"),
  callsPerMinute: setting(0, amount, "most calls in a minute, others get HTTP 429; 0 is any"),
  callsAtOnce: setting(0, amount, "most calls at once, others get HTTP 429; 0 is any"),
  bodyLimit: setting(64 * 1024 * 1024, amount, "largest request body, in bytes"),
  textLimit: setting(100_000, amount, "longest text without a limit, in characters"),
  pixelLimit: setting(4096 * 4096, above, "most pixels of a picture without a limit"),
  imageSide: setting(1024, side, "longer side of a picture without a size, in pixels"),
  videoRatio: setting(16 / 9, numberFrom(0.1, 10), "width divided by height of a video without a ratio"),
  videoSide: setting(720, side, "shorter side of a video without a size, in pixels"),
  videoFps: setting(24, numberFrom(1, 240), "frames per second of a video without a rate"),
  videoSeconds: setting(5, numberFrom(0.1, 3_600), "length of a video without a duration, in seconds"),
  callsKept: setting(1_000, amount, "how many calls are kept"),
};

/** The names of all settings. */
export const settingNames: readonly string[] = Object.keys(settings);

/** The defaults of all settings. */
// The cast: the table has each setting of the type.
export const defaultBehaviour: Behaviour = Object.fromEntries(
  Object.entries(settings).map(([name, { value }]) => [name, value]),
) as unknown as Behaviour;

/** Returns a setting by its name, or throws a RangeError. */
export function settingNamed(name: string): Setting {
  // The cast: the name is checked here.
  if (Object.hasOwn(settings, name)) return settings[name as keyof Behaviour];
  throw unknownSetting(name, settingNames);
}

/** Returns the error for an unknown setting. */
export function unknownSetting(name: string, names: readonly string[]): RangeError {
  return unknownName(name, "a setting", "The settings are", names);
}

/** Returns valid settings without those that are undefined. Throws a RangeError if one is invalid. */
export function checkSettings(given: unknown): Partial<Behaviour> {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new RangeError("behaviour: pass an object with the settings to change.");
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of entries) {
    const { values } = settingNamed(name);
    if (!values.has(value)) throw invalid(name, JSON.stringify(value), values);
  }
  return Object.fromEntries(entries);
}

/** Parses the value of a setting. Throws a RangeError that names the source of the text. */
export function readSetting(name: string, text: string, source: string): unknown {
  const { values } = settingNamed(name);
  const value = values.read(text);
  if (!values.has(value)) throw invalid(source, JSON.stringify(text), values);
  return value;
}

function invalid(source: string, given: string, { advice }: Values): RangeError {
  return new RangeError(`${source}: ${given} is not valid. Use ${advice}.`);
}
