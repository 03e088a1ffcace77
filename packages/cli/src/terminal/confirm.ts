import { createInterface } from "node:readline/promises";

/** Asks a question on the terminal. Returns whether the answer is yes; the end of the input is not. */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  // Without a terminal's own editing, Ctrl-C reaches the command as at any other time.
  const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const closed = new Promise<string>((resolve) => void terminal.once("close", () => resolve("")));
  try {
    const answer = await Promise.race([terminal.question(`${question} [y/N] `, { signal }), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    terminal.close();
  }
}
