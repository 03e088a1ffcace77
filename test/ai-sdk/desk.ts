import { createMediaGenProvider, type MediaGenProviderOptions } from "@mediagen/ai-sdk-provider";
import { createEmulator, type EmulatorOptions } from "@mediagen/emulator";
import { listen } from "@mediagen/emulator/node";
import { createMediaGen, type MediaGenOptions, type Task } from "@mediagen/sdk";
import { vi } from "vitest";

// The AI SDK prints the warnings that these tests read from its results.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** As much of a PNG as tells its type. */
export const png: Uint8Array = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

export interface DeskOptions extends Omit<MediaGenProviderOptions, "media"> {
  readonly emulator?: EmulatorOptions;
  readonly client?: MediaGenOptions;
}

/** Creates an emulator and a provider for it. Collects the tasks that `onTask` was called with. */
export function createDesk({ emulator: given, client, onTask, ...options }: DeskOptions = {}) {
  const emulator = createEmulator({ credits: 1_000_000, ...given });
  const media = createMediaGen({ ...emulator.client, ...client });
  const tasks: Task[] = [];
  const collect = (task: Task) => {
    tasks.push(task);
    return onTask?.(task);
  };
  return {
    emulator,
    media,
    tasks,
    mediagen: createMediaGenProvider({ media, onTask: collect, ...options }),
  };
}

export type Desk = ReturnType<typeof createDesk>;

/** Makes an emulator the account of the environment, until the test ends. */
export async function listenAsEnvironment() {
  const emulator = createEmulator({ clock: { speed: 100 } });
  const { baseUrl, close } = await listen(emulator);
  vi.stubEnv("MEDIAGEN_BASE_URL", baseUrl);
  vi.stubEnv("MEDIAGEN_API_KEY", emulator.client.apiKey);
  return {
    emulator,
    async [Symbol.asyncDispose]() {
      vi.unstubAllEnvs();
      await close();
    },
  };
}
