import { createMediaGenProvider, type MediaGenProvider, type MediaGenProviderOptions } from "@mediagen/ai-sdk-provider";
import { createEmulator, type Emulator, type EmulatorOptions } from "@mediagen/emulator";
import { createMediaGen, type MediaGen, type MediaGenOptions, type Task } from "@mediagen/sdk";

// The AI SDK prints the warnings that these tests read from its results.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** As much of a PNG as tells its type. */
export const png: Uint8Array = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** An emulator and a provider for it. */
export interface Desk {
  readonly emulator: Emulator;
  readonly media: MediaGen;
  readonly mediagen: MediaGenProvider;
  /** The tasks that `onTask` was called with. */
  readonly tasks: readonly Task[];
}

export interface DeskOptions extends Omit<MediaGenProviderOptions, "media"> {
  readonly emulator?: EmulatorOptions;
  readonly client?: MediaGenOptions;
}

export function createDesk({ emulator: given, client, ...options }: DeskOptions = {}): Desk {
  const emulator = createEmulator({ credits: 1_000_000, ...given });
  const media = createMediaGen({ ...emulator.client, ...client });
  const tasks: Task[] = [];
  const onTask = (task: Task) => void tasks.push(task);
  return { emulator, media, tasks, mediagen: createMediaGenProvider({ media, onTask, ...options }) };
}

/** Returns the error that a call rejects with. */
export async function errorOf(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("the call did not reject");
}
