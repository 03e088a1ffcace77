import { usageError } from "../errors/command-error.ts";

/** A package of its own, because its dependencies are larger than those of this command. */
const name = "@mediagen/mcp";

/** `mediagen mcp`: runs the command of the MCP server in this process, with the remaining arguments. */
export async function runMcp(): Promise<void> {
  process.argv.splice(2, 1);
  try {
    await import(`${name}/command`);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing || !error.message.includes(`'${name}'`)) throw error;
    const advice =
      "Install it as the guide says: https://github.com/OWNER/mediagen/blob/main/docs/guides/installation.md. It is not on npm yet.";
    throw usageError(`mediagen mcp needs the package ${name}`, advice, error);
  }
}
