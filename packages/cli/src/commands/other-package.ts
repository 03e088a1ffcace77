import { usageError } from "../errors/command-error.ts";
import type { Command, Parsed } from "../usage/command.ts";

/** `mediagen emulator` and `mediagen mcp`: runs the command of that package in this process, with the remaining arguments. */
export async function run(_: Parsed, { name }: Command): Promise<void> {
  process.argv.splice(2, 1);
  const other = `@mediagen/${name}`;
  try {
    await import(`${other}/command`);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing || !error.message.includes(`'${other}'`)) throw error;
    const advice =
      "Install it as the guide says: https://github.com/OWNER/mediagen/blob/main/docs/guides/installation.md. It is not on npm yet.";
    throw usageError(`mediagen ${name} needs the package ${other}`, advice, error);
  }
}
