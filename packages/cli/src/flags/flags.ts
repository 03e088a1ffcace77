import type { Field } from "@mediagen/sdk";

/** A flag of a command. */
export interface Flag {
  /** The name without dashes, such as `base-url`. */
  readonly name: string;
  readonly short?: string | undefined;
  /** What its value is, such as `path`; undefined for a flag that is on or off. */
  readonly takes?: string | undefined;
  readonly isMany?: boolean;
  readonly text: string;
  /** The field of a form that it stands for, and that field in each model that has it. */
  readonly field?: string;
  readonly models?: ReadonlyMap<string, Field>;
  /** Whether it turns its field off. Help does not list it. */
  readonly isOff?: boolean;
}

/** The values of flags, by their names in camelCase. */
export interface Options {
  readonly allowHttp?: boolean;
  readonly attempt?: string;
  readonly baseUrl?: string;
  readonly concurrency?: number;
  readonly dryRun?: boolean;
  readonly extraField?: readonly string[];
  readonly failedStatus?: readonly number[];
  readonly idempotencyKey?: string;
  readonly json?: boolean;
  readonly limit?: number;
  readonly model?: string;
  readonly noStore?: boolean;
  readonly noWait?: boolean;
  readonly notCreated?: boolean;
  readonly only?: readonly string[];
  readonly output?: string;
  readonly overwrite?: boolean;
  readonly quiet?: boolean;
  readonly rate?: number;
  readonly resolve?: string;
  readonly results?: number;
  readonly retryFailed?: boolean;
  readonly state?: string;
  readonly store?: string;
  readonly taskid?: string;
  /** In milliseconds. */
  readonly timeout?: number;
  readonly unverified?: boolean;
  readonly yes?: boolean;
}

/** Commands that have the same flags. `generate` stands for the commands of the kinds. */
const users: Readonly<Record<string, string>> = {
  calling: "generate show wait download delete batch recover login",
  reading: "generate show wait download batch recover",
  waiting: "generate wait download batch recover",
  storing: "generate list show wait download delete recover",
  printing: "generate list show wait download delete batch recover models",
};

/** The flags of all commands: how each is written, who has it, and what it does. */
const table = `
  -m, --model <model>          generate                   the model
  --model <model>              list                       list only generations of this model
  --state <state>              list                       list only generations in this state, such as unknown
  -o, --output <path>          generate download          a file, a directory, or "-" for stdout (default: the current directory)
  -o, --output <path>          recover                    wait for the tasks that are left and download their results: a file or a directory
  -o, --output <dir>           batch                      the directory for the results and for the state of the batch
  --overwrite                  generate download recover  replace existing files
  --no-wait                    generate                   print the task once it is created, and do not wait for it
  --results <n>                show wait download         how many results the form requested (default: as in the store, otherwise 1)
  --resolve <generation>       recover                    record the outcome of an unknown generation, as you found it at the service:
  --taskid <id>                recover                      the task that it created; the service must know it
  --unverified                 recover                      record the task without checking it at the service
  --not-created                recover                      it created no task; its idempotency key may generate again
  --attempt <id>               recover                      the attempt that you looked for, as recover prints it; --not-created needs it
  -y, --yes                    batch                      skip the confirmation
  --dry-run                    generate                   print the request and send nothing; an image of a URL is read for it
  --dry-run                    batch                      check every line, print what would be billed, and send nothing
  --limit <n>                  batch                      the maximum number of tasks that this run creates
  --limit <n>                  list                       how many are listed at most (default: 30)
  --only <id>...               batch                      run only this line; may be repeated
  --retry-failed               batch                      generate a second task, and no third one, for each line whose task has failed (billed)
  --concurrency <n>            batch                      how many lines run at once (default: 8)
  --rate <n>                   batch                      how many generations are sent per minute at most
  --timeout <time>             waiting                    maximum time to wait, such as 90s, 30m or 2h (default: 30m)
  --idempotency-key <key>      generate                   your own key: the same key returns the same task, which is billed once
  --extra-field <name=value>...  generate                 a field that is not in the service's description; sent unchecked
  --json                       printing                   print one JSON document, also if the command fails
  -q, --quiet                  printing                   print no progress on stderr
  --store <dir>                storing                    where generations are recorded (default: the state directory)
  --no-store                   generate                   record nothing: a task whose response is lost is lost, too
  --failed-status <integer>... reading                    a status that means that a task failed; may be repeated
  --base-url <url>             calling list               the URL of the service (default: MEDIAGEN_BASE_URL; after login, the saved one)
  --allow-http                 calling                    allow http to another machine, which exposes the key to the network
`;

const rows = table
  .trim()
  .split("\n")
  .map((line) => {
    const [, short, name = "", takes, many, who = "", text = ""] =
      /^ *(?:-(\w), )?--([\w-]+)(?: <(\S+?)>(\.\.\.)?)? +(\w+(?: \w+)*) {2,}(.*)$/.exec(line) ?? [];
    const commands = who.split(" ").flatMap((one) => users[one]?.split(" ") ?? one);
    return { commands, flag: { name, short, takes, isMany: many !== undefined, text } };
  });

/** Returns the flags of a command by its last word, besides those of fields. */
export function flagsOf(command: string): readonly Flag[] {
  return rows.filter(({ commands }) => commands.includes(command)).map(({ flag }) => flag);
}

/** Returns the name of a flag in the options. */
export function optionOf({ name }: Flag): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The values of a flag that is on or off, as they are typed. */
export const switchValues: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
  ["1", true],
  ["0", false],
]);

/** Returns a flag as it is typed, such as `--duration <number>`. */
export function spelled({ name, takes, field }: Flag): string {
  if (takes !== undefined) return `--${name} <${takes}>`;
  return field === undefined ? `--${name}` : `--${name}[=${[...switchValues.keys()].join("|")}]`;
}

/**
 * Returns a text of the SDK with flags in place of its options, and of the field that it begins
 * with.
 */
export function withFlags(text: string, flags: readonly Flag[], field: string = ""): string {
  const flagOf = (name: string) => {
    const flag = flags.find((one) => one.field === name || optionOf(one) === name);
    return name === "apiKey" ? "mediagen login" : flag && `--${flag.name}`;
  };
  const [, first = "", rest = field] = /^(\w+)(.*)$/s.exec(field) ?? [];
  const start = first === "apiKey" ? "the API key" : (flagOf(first) ?? first);
  const said = start + rest + text.slice(field.length);
  return said
    .replace(
      /\{ (\w+)(?:: \w+)? \}|\b[a-z]+[A-Z]\w*/g,
      (word, option: string = word) => flagOf(option) ?? word,
    )
    .replace(/ [A-Z][^.]*\{ [^}]*\}[^.]*\./g, "");
}
