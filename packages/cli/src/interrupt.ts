import { exitCodes } from "./exit-codes.ts";

/** Ctrl-C, or another signal that asks the command to end. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";

  constructor(signal: NodeJS.Signals) {
    super(`interrupted (${signal})`);
  }
}

/** How a command hears that it should end. */
export interface Interrupt {
  /** Aborts with `Interrupted`. */
  readonly signal: AbortSignal;
  /**
   * From here to `release`, something is under way that should be finished: the first signal only tells, and is kept for
   * afterwards; the second aborts.
   */
  hold(tell: () => void): void;
  release(): void;
}

/** Listens for signals until the process ends; what does not heed the first is told to have been given up at the second. */
export function listenForInterrupt(giveUp: (interrupted: Interrupted) => void = () => undefined): Interrupt {
  const controller = new AbortController();
  let tellFirst: (() => void) | undefined;
  let kept: Interrupted | undefined;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      // What does not heed the abort must not hold the terminal.
      if (controller.signal.aborted) {
        giveUp(new Interrupted(name));
        process.exit(exitCodes.interrupted);
      }
      if (!tellFirst || kept) return controller.abort(new Interrupted(name));
      kept = new Interrupted(name);
      tellFirst();
    });
  }
  return {
    signal: controller.signal,
    hold: (tell) => void (tellFirst = tell),
    release() {
      tellFirst = undefined;
      if (kept && !controller.signal.aborted) controller.abort(kept);
    },
  };
}
