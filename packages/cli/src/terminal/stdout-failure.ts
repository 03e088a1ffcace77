import { setImmediate } from "node:timers/promises";

let failure: NodeJS.ErrnoException | undefined;

/**
 * Listens for errors of stdout. Without a listener, an error would end the process at once, with
 * forms in flight.
 */
export function watchStdout(): void {
  failure = undefined;
  process.stdout.on("error", (error) => (failure ??= error));
}

/** Returns whether the reader of stdout closed it early, as `head` does: it has what it wanted. */
export function isClosedByReader({ code }: NodeJS.ErrnoException): boolean {
  return code === "EPIPE";
}

/**
 * Resolves to the error of stdout, if there is one, once everything that was printed is written.
 */
export async function stdoutFailure(): Promise<NodeJS.ErrnoException | undefined> {
  await new Promise<void>((done) => process.stdout.write("", () => done()));
  // The event comes after the callbacks.
  await setImmediate();
  return failure;
}

/** Returns a message that stdout could not be written to. */
export function stdoutFailed({ code, message }: NodeJS.ErrnoException): string {
  return `stdout could not be written to (${code ?? message})`;
}
