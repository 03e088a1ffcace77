import { afterAll, beforeAll, beforeEach } from "vitest";
import {
  createTestEmulator,
  provideTestEmulator,
  type TestEmulator,
  type TestEmulatorOptions,
} from "./emulator/test-emulator.ts";
import { listen } from "./node/server.ts";

export type { TestEmulator, TestEmulatorOptions } from "./emulator/test-emulator.ts";

const advice =
  "Use test.extend({ emulator: emulatorFixture() }), or run the tests one after the other.";

/**
 * Returns an emulator for the tests of a file: each test gets a new one. Tests that run at the same
 * time need `emulatorFixture`: here they fail.
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
  const each = (enter: (test: string) => () => void) => beforeEach(({ task }) => enter(task.id));
  return createTestEmulator(options, { beforeAll, beforeEach: each, afterAll }, listen, advice);
}

/**
 * Returns a fixture for `test.extend`: each test that uses it has an emulator of its own, also in
 * `describe.concurrent`.
 *
 * @returns The fixture.
 * @example
 * const test = base.extend({ emulator: emulatorFixture() });
 * test.concurrent("a fox is billed once", async ({ emulator }) => {
 *   await createMediaGen(emulator.client).video.generate("vidmodelv2", { prompt: "A fox" });
 *   emulator.paidOnce();
 * });
 */
export function emulatorFixture(
  options: TestEmulatorOptions = {},
): (context: object, use: (emulator: TestEmulator) => Promise<void>) => Promise<void> {
  // Vitest reads the names of the fixtures that this one needs from the pattern.
  // oxlint-disable-next-line no-empty-pattern
  return ({}, use) => provideTestEmulator(options, use, listen);
}
