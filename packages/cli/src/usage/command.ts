import type { ModelInfo } from "@mediagen/sdk";
import type { Flag, Options } from "../flags/flags.ts";

/** A command line, read by the flags of its command. */
export interface Parsed {
  /** Arguments that are no flags. */
  readonly words: readonly string[];
  readonly options: Options;
  /** Values of fields: texts, lists of them, or whether they are on. */
  readonly fields: ReadonlyMap<string, unknown>;
}

/** A command such as `task show`. */
export interface Command {
  readonly name: string;
  /** Its argument as in help, such as `<id...>`. */
  readonly argument: string;
  readonly text: string;
  readonly examples: readonly string[];
  readonly flags: readonly Flag[];
  /** The models that `--model` may name. */
  readonly models?: readonly ModelInfo[];
  /** Imports the file that runs it. */
  load(): Promise<{ run(parsed: Parsed, command: Command): unknown }>;
}

/** Returns the command that a command line begins with. */
export function commandOf(
  commands: readonly Command[],
  [first, second]: readonly string[],
): Command | undefined {
  return commands.find(({ name }) => name === first || name === `${first} ${second}`);
}
