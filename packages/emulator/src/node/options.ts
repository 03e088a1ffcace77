import { parseArgs } from "node:util";
import { unknownName } from "@mediagen/sdk/kit";
import { hasCode } from "./error-code.ts";
import { readSetting } from "../service/read-settings.ts";
import { type Behaviour, settingNames, settings } from "../service/settings.ts";
import { usualFile } from "./saved-state.ts";

/** The options that are not settings: a placeholder for the value, or "", and what they do. */
const options: Readonly<Record<string, readonly [shown: string, what: string]>> = {
  port: ["N", "the port to listen on; 0 is any free port (default: 4020)"],
  host: ["ADDRESS", "the address to listen on (default: 127.0.0.1)"],
  "public-url": ["URL", "the base URL for clients that use a proxy or another host name"],
  key: ["KEY", "the API key that clients must send (default: emulator-key)"],
  credits: ["N", "the balance in credits (default: 1000000000, which no run uses up)"],
  seed: ["N", "the seed of task ids and images (default: random)"],
  speed: ["N", "how fast time passes; 60 is a minute per second (default: 1)"],
  clock: ["auto|manual", "what advances the time instead: each query, or POST /_emulator/advance"],
  state: ["FILE", "load tasks and credits from this file, and save them to it"],
  fresh: ["", "start without tasks and save nothing"],
  results: [
    "DIR",
    "return files of this directory as results: fox.mp4 for prompts with the word fox",
  ],
  report: [
    "FILE",
    "write calls, violations and charges at the end, as JSON, or JUnit if FILE ends in .xml",
  ],
  version: ["", "show the version"],
  help: ["", "show this text"],
};

/** The settings by flag. */
const flags = new Map(
  settingNames.map((name) => [name.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`), name]),
);
/** The settings by variable of the environment. */
const prefix = "MEDIAGEN_BEHAVIOUR_";
const variables = new Map(
  [...flags].map(([flag, name]) => [prefix + flag.replaceAll("-", "_").toUpperCase(), name]),
);

/** The text of --help. */
export const usage: string = `mediagen-emulator: the Media Generation Service, emulated on this machine

  mediagen-emulator [options]                     serve until stopped
  mediagen-emulator [options] exec -- COMMAND     serve while COMMAND runs, with MEDIAGEN_BASE_URL and
                                                  MEDIAGEN_API_KEY set, and exit with its exit code

${table(Object.entries(options).map(([name, [shown, what]]) => [`--${name} ${shown}`, what]))}
Settings, for what the service's description leaves open. Each is also an environment variable, such as
${prefix}UNKNOWN_IDS, and a field of POST /_emulator/behaviour.

${table([...flags].map(([flag, name]) => [`--${flag} ${shownOf(name)}`, `${settings[name].what}${defaultOf(name)}`]))}
With --strict, the exit code is 1 if a call had violations and COMMAND exited with 0.

exec uses port 4020, or any free port if 4020 is in use. It saves its tasks in
${usualFile()}
so that a second run finds the tasks of the first one. Each run starts with all credits. With --port,
--host, --public-url or --state, exec does not use that file. With --seed or --fresh, it uses neither
that file nor port 4020.
`;

function table(rows: readonly (readonly [flag: string, what: string])[]): string {
  const width = Math.max(...rows.map(([flag]) => flag.length)) + 2;
  return rows.map(([flag, what]) => `  ${flag.padEnd(width)}${what}\n`).join("");
}

function shownOf(name: keyof Behaviour): string {
  const { kind } = settings[name];
  const shown: Readonly<Record<string, string>> = {
    flag: "",
    statuses: "N,N,N,N",
    status: "STATUS",
    duration: "TIME",
  };
  return kind.includes("|") ? kind.replaceAll(" ", "-") : (shown[kind] ?? "N");
}

function defaultOf(name: keyof Behaviour): string {
  const { value } = settings[name];
  if (value === false) return "";
  return ` (default: ${typeof value === "object" ? Object.values(value).join() : String(value)})`;
}

/** The arguments of the command. */
export interface CommandLine {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
  /** The words after `--`; undefined without it. */
  readonly command: readonly string[] | undefined;
}

/** Reads the arguments of the command. */
export function readArguments(args: readonly string[]): CommandLine {
  const dashes = args.indexOf("--");
  const types = [
    ...Object.entries(options).map(([name, [shown]]) => [name, shown] as const),
    ...[...flags].map(([flag, name]) => [flag, shownOf(name)] as const),
  ];
  try {
    const { values, positionals } = parseArgs({
      args: args.slice(0, dashes < 0 ? undefined : dashes),
      options: Object.fromEntries(
        types.map(([name, shown]) => [name, { type: shown === "" ? "boolean" : "string" }]),
      ),
      allowPositionals: true,
    });
    return { values, positionals, command: dashes < 0 ? undefined : args.slice(dashes + 1) };
  } catch (error) {
    const [, typed = ""] = /'--?([^']*)'/.exec(String(error)) ?? [];
    if (!hasCode(error, "ERR_PARSE_ARGS_UNKNOWN_OPTION")) throw error;
    const names = types.map(([name]) => `--${name}`);
    throw new Error(unknownName(`--${typed}`, "option", names).message, { cause: error });
  }
}

/** Returns the settings of a command line and of the environment. The command line wins. */
export function readBehaviour(
  { values }: CommandLine,
  environment: NodeJS.ProcessEnv,
): Partial<Behaviour> {
  const read: Record<string, unknown> = {};
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith(prefix) || text === undefined) continue;
    const name = variables.get(variable);
    if (name === undefined)
      throw new RangeError(unknownName(variable, "setting", [...variables.keys()]).message);
    read[name] = readSetting(name, text, variable);
  }
  for (const [flag, name] of flags)
    if (values[flag] !== undefined)
      read[name] = readSetting(name, String(values[flag]), `--${flag}`);
  return read;
}

/** Returns the value of an option with text. */
export function textOf({ values }: CommandLine, name: string): string | undefined {
  return values[name]?.toString();
}

/** Returns the value of a numeric option. */
export function numberOf(
  line: CommandLine,
  name: string,
  least: number,
  most: number = Infinity,
): number | undefined {
  const text = textOf(line, name);
  if (text === undefined) return undefined;
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value >= least && value <= most) return value;
  const range = most === Infinity ? `, at least ${least}` : ` from ${least} to ${most}`;
  throw new Error(`--${name}: "${text}" is not valid. Use a number${range}.`);
}
