import { after, before, beforeEach } from "node:test";
import { createTestEmulator, type TestEmulator, type TestEmulatorOptions } from "./emulator/test-emulator.ts";
import { listen } from "./node/server.ts";

export type { TestEmulator, TestEmulatorOptions } from "./emulator/test-emulator.ts";

/**
 * Returns an emulator for the tests of a file: each test gets a new one. Tests that run at the same time share it; use
 * `createEmulator` in them.
 *
 * @returns The emulator, with assertions.
 * @example
 * const emulator = useEmulator();
 * test("a fox is paid once", async () => {
 *   const media = createMediaGen(emulator.client);
 *   await media.video.generate("vidmodelv2", { prompt: "A fox" });
 *   emulator.paidOnce();
 *   emulator.noViolations();
 * });
 */
export function useEmulator(options: TestEmulatorOptions = {}): TestEmulator {
  return createTestEmulator(options, { beforeAll: before, beforeEach, afterAll: after }, listen);
}
