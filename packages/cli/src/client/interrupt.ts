import { Interrupted } from "../errors/command-error.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { isClosedByReader, stdoutFailed } from "../terminal/stdout-failure.ts";

/** The interrupts of a command. */
export interface Interrupt {
  /** Aborts with `Interrupted`. */
  readonly signal: AbortSignal;
  /**
   * Delays interrupts until `release`: the first signal only calls `warn` and takes effect at
   * `release`; the second aborts at once.
   */
  hold(warn: () => void): void;
  release(): void;
}

/**
 * How long a command that was not interrupted by Ctrl-C waits for responses. Docker kills after 10
 * s.
 */
const beforeKillMs = 8_000;

/**
 * Listens for signals until the process ends. If the first one does not end it, the second calls
 * `giveUp` and ends it.
 */
export function listenForInterrupt(
  giveUp: (interrupted: Interrupted) => void = () => undefined,
): Interrupt {
  const controller = new AbortController();
  let warnFirst: (() => void) | undefined;
  let kept: Interrupted | undefined;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    const interrupted = new Interrupted(`interrupted (${name})`, exitCodes.interrupted);
    const interrupt = () => {
      // Something that ignores the abort must not block the terminal.
      if (controller.signal.aborted) {
        giveUp(interrupted);
        process.exit(exitCodes.interrupted);
      }
      if (!warnFirst || kept) return controller.abort(interrupted);
      kept = interrupted;
      warnFirst();
    };
    process.on(name, () => {
      interrupt();
      // Who sends another signal than Ctrl-C usually kills soon, and the commands that continue
      // must be printed before that.
      if (name !== "SIGINT") setTimeout(interrupt, beforeKillMs).unref();
    });
  }
  // A command does not begin what it cannot report.
  process.stdout.on("error", (error) => {
    if (!isClosedByReader(error))
      controller.abort(new Interrupted(stdoutFailed(error), exitCodes.unsaved));
  });
  return {
    signal: controller.signal,
    hold: (warn) => void (warnFirst = warn),
    release() {
      warnFirst = undefined;
      if (kept && !controller.signal.aborted) controller.abort(kept);
    },
  };
}
