import type { BeforeGenerate, MediaGen } from "@mediagen/sdk/node";
import { type Interrupt, listenForInterrupt } from "../errors/interrupt.ts";
import { createOutput, type Output } from "../terminal/output.ts";
import { createProgress, type Progress } from "../terminal/progress.ts";
import { connect, type ConnectOptions } from "./connect.ts";

/** The context of a command that calls the service. */
export interface CommandContext {
  readonly interrupt: Interrupt;
  /** The interrupt's signal. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly output: Output;
  /** Creates the client. `beforeGenerate` is called before a form is sent. */
  connect(beforeGenerate?: BeforeGenerate): Promise<MediaGen>;
}

/** Listens for signals, and sets up stdout and stderr by the options. */
export function openContext(options: ConnectOptions): CommandContext {
  const interrupt = listenForInterrupt();
  const { signal } = interrupt;
  const progress = createProgress(options);
  return {
    interrupt,
    signal,
    progress,
    output: createOutput(options),
    connect: (beforeGenerate) => connect(options, { signal, progress, beforeGenerate }),
  };
}
