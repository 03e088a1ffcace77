import { setImmediate } from "node:timers/promises";

let failure: NodeJS.ErrnoException | undefined;

/** Remembers whether stdout fails. An error that nobody listens to would end the process at once, with forms in flight. */
export function watchStdout(): void {
  process.stdout.on("error", (error) => (failure ??= error));
}

/** Whether the reader of stdout closed it early, as `head` does: it has what it wanted. */
export function isClosedByReader({ code }: NodeJS.ErrnoException): boolean {
  return code === "EPIPE";
}

/** Resolves to why stdout could not be written to, once everything that was printed is written. */
export async function stdoutFailure(): Promise<NodeJS.ErrnoException | undefined> {
  await new Promise<void>((done) => process.stdout.write("", () => done()));
  // The event comes after the callbacks.
  await setImmediate();
  return failure;
}

/** Says that stdout could not be written to. */
export function stdoutFailed({ code, message }: NodeJS.ErrnoException): string {
  return `stdout could not be written to (${code ?? message})`;
}
