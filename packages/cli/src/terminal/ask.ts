/**
 * Asks a question on the terminal and returns the answer, which is empty at the end of the input. A
 * secret is not shown.
 */
export async function ask(
  question: string,
  signal: AbortSignal,
  isSecret = false,
): Promise<string> {
  // Without output, nothing that is typed is shown. Otherwise the terminal itself shows it, and
  // Ctrl-C reaches the command as at any other time.
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, terminal: isSecret });
  // Not before: the terminal would show what is typed at once.
  process.stderr.write(question);
  terminal.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
  const closed = new Promise<string>((resolve) => void terminal.once("close", () => resolve("")));
  try {
    return (await Promise.race([terminal.question("", { signal }), closed])).trim();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    terminal.close();
    if (isSecret) process.stderr.write("\n");
  }
}
