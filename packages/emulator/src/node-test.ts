import { after, before, beforeEach, type TestContext } from "node:test";
import {
  createTestEmulator,
  type TestEmulator,
  type TestEmulatorOptions,
} from "./emulator/test-emulator.ts";
import { listen } from "./node/server.ts";

export type { TestEmulator, TestEmulatorOptions } from "./emulator/test-emulator.ts";

/**
 * Returns an emulator for the tests of a file: each test gets a new one. Tests that run at the same
 * time need `createEmulator` in each: here they fail.
 *
 * @returns The emulator, with assertions.
 * @example
 * const emulator = useEmulator();
 * test("a fox is billed once", async () => {
 *   const media = createMediaGen(emulator.client);
 *   await media.video.generate("vidmodelv2", { prompt: "A fox" });
 *   emulator.paidOnce();
 *   emulator.noViolations();
 * });
 */
export function useEmulator(options: TestEmulatorOptions = {}): TestEmulator {
  // The cast: this hook runs before tests, not before suites.
  const each = (enter: (test: string) => () => void) =>
    beforeEach((test) => (test as TestContext).after(enter((test as TestContext).fullName)));
  const advice = "Call createEmulator() in each test, or run the tests one after the other.";
  return createTestEmulator(
    options,
    { beforeAll: before, beforeEach: each, afterAll: after },
    listen,
    advice,
  );
}
