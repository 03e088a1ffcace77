import type { Behaviour } from "../service/behaviour.ts";
import { readSetting, settingNamed, settingNames, type Setting, unknownSetting } from "../service/settings.ts";
import { type CommandLine, readCommandLine } from "./command-line.ts";
import { usualFile } from "./saved-state.ts";

/** An option in the help text: a placeholder for its value, or "", and its description. */
type Help = readonly [shown: string, what: string];

/** The options that are not settings. */
const options: Readonly<Record<string, Help>> = {
  port: ["N", "the port to listen on; 0 is any free port (default: 4020)"],
  host: ["ADDRESS", "the address to listen on (default: 127.0.0.1)"],
  "public-url": ["URL", "the base URL for clients that use a proxy or another host name"],
  key: ["KEY", "the API key that clients must send (default: emulator-key)"],
  credits: ["N", "the balance in credits (default: 10000)"],
  seed: ["N", "the seed of task ids and images (default: random)"],
  speed: ["N", "how fast time passes; 60 is a minute per second (default: 1)"],
  state: ["FILE", "load tasks and credits from this file, and save them to it"],
  fresh: ["", "start without tasks and save nothing"],
  results: ["DIR", "return files of this directory as results: fox.mp4 for prompts with the word fox"],
  record: ["FILE", "at the end, write requests and responses to this file"],
  replay: ["FILE", "return the responses of a file that --record has written"],
  report: ["FILE", "write calls, violations and charges at the end: JUnit in an .xml file, else JSON"],
  help: ["", "show this text"],
};

/** The settings as options. */
const settingOptions: Readonly<Record<string, Help>> = Object.fromEntries(
  settingNames.map((name) => {
    const { value, values, what } = settingNamed(name);
    return [flagOf(name), [values.shown, value === false ? what : `${what} (default: ${textOf(value)})`]];
  }),
);

/** Prefix of the environment variables for settings. */
const prefix = "MEDIAGEN_BEHAVIOUR_";

/** The text of --help. */
export const usage: string = `mediagen-emulator: the Media Generation Service, emulated on this machine

  mediagen-emulator [options]                     serve until stopped
  mediagen-emulator [options] exec -- COMMAND     serve while COMMAND runs, with MEDIAGEN_BASE_URL,
                                                  MEDIAGEN_API_KEY and MEDIAGEN_FAILED_STATUSES set,
                                                  and exit with its exit code

Example:
  mediagen-emulator exec -- npm test

${table(options)}
Settings, for what the service's description leaves open. Each is also an environment variable, such as
${variableOf("unknownIds")}, and a field of POST /_emulator/behaviour.

${table(settingOptions)}
With --strict, the exit code is 1 if a call had violations and COMMAND exited with 0.

exec uses port 4020, or any free port if 4020 is in use. It saves its tasks in
${usualFile()}
so that you can run a command twice and the second run finds the tasks of the first one. Each run
starts with all credits. With --port, --host, --public-url or --state, exec does not use that file.
With --seed or --fresh, it uses neither that file nor port 4020.
`;

function table(rows: Readonly<Record<string, Help>>): string {
  const flags = Object.entries(rows).map(([name, [shown, what]]) => [`  --${name} ${shown}`.trimEnd(), what] as const);
  const width = Math.max(...flags.map(([flag]) => flag.length)) + 2;
  return flags.map(([flag, what]) => `${flag.padEnd(width)}${what}\n`).join("");
}

/** Reads the arguments of the command. */
export function readArguments(args: readonly string[]): CommandLine {
  const all = Object.entries({ ...options, ...settingOptions });
  const names = (hasValue: boolean) => all.filter(([, [shown]]) => (shown !== "") === hasValue).map(([name]) => name);
  return readCommandLine(args, names(true), names(false));
}

/** Returns the settings of a command line and of the environment. The command line wins. */
export function readBehaviour({ values, switches }: CommandLine, environment: NodeJS.ProcessEnv): Partial<Behaviour> {
  const read: Record<string, unknown> = {};
  const names = new Map(settingNames.map((name) => [variableOf(name), name]));
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith(prefix) || text === undefined) continue;
    const name = names.get(variable);
    if (name === undefined) throw unknownSetting(variable, [...names.keys()]);
    read[name] = readSetting(name, text, variable);
  }
  for (const name of settingNames) {
    const flag = flagOf(name);
    if (switches.has(flag)) read[name] = true;
    else if (values[flag] !== undefined) read[name] = readSetting(name, values[flag], `--${flag}`);
  }
  return read;
}

/** Returns the value of a numeric option. */
export function readNumber(
  { values }: CommandLine,
  name: string,
  least: number,
  most: number = Infinity,
): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const value = Number(text);
  const range = most === Infinity ? `, at least ${least}` : ` from ${least} to ${most}`;
  if (text.trim() === "" || !Number.isFinite(value) || value < least || value > most)
    throw new Error(`--${name}: "${text}" is not valid. Use a number${range}.`);
  return value;
}

function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function variableOf(name: string): string {
  return prefix + name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function textOf(value: Setting["value"]): string {
  if (typeof value === "object" && value !== null) return Object.values(value).join();
  return typeof value === "number" && !Number.isInteger(value) ? value.toFixed(2) : String(value);
}
