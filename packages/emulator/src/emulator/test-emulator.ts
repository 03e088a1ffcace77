import type { Emulator, EmulatorOptions } from "../service/emulator-types.ts";
import type { Charge } from "../service/state.ts";
import { createEmulator } from "./create-emulator.ts";

/** An emulator with assertions. It is a new one in each test. */
export interface TestEmulator extends Emulator {
  /** The base URL for programs in other processes, if the option `listen` is set. */
  readonly baseUrl: string | undefined;
  /**
   * Asserts that exactly one generation was billed.
   *
   * @throws An `Error` that lists what was billed
   * @example useEmulator().paidOnce();
   */
  paidOnce(): void;
  /**
   * Asserts how many generations were billed.
   *
   * @param count The number of generations.
   * @throws An `Error` that lists what was billed
   * @example useEmulator().paidTimes(0);
   */
  paidTimes(count: number): void;
  /**
   * Asserts that nothing was wrong with any call.
   *
   * @throws An `Error` that lists the violations
   * @example useEmulator().noViolations();
   */
  noViolations(): void;
}

/** The options of `useEmulator`. */
export interface TestEmulatorOptions extends EmulatorOptions {
  /**
   * Whether to listen on a free port, for programs in other processes. They do not see the
   * emulator's clock: use `{ speed: 100 }`.
   * @default false
   */
  readonly listen?: boolean | undefined;
}

/** The hooks of a test framework. */
interface Hooks {
  beforeAll(work: () => Promise<void>): void;
  /**
   * Calls `enter` with the full name of each test before it, and what that returns after the test.
   */
  beforeEach(enter: (test: string) => () => void): void;
  afterAll(work: () => Promise<void>): void;
}

/** A server with a base URL, as `listen` creates it. */
interface Server {
  readonly baseUrl: string;
  close(): Promise<void>;
}

type Listen = (emulator: Emulator) => Promise<Server>;

/**
 * Creates an emulator that the hooks of a test framework replace with a new one before each test.
 */
export function createTestEmulator(
  { listen: isServed, ...options }: TestEmulatorOptions,
  hooks: Hooks,
  listen: Listen,
  advice: string,
): TestEmulator {
  let current = createEmulator(options);
  let server: Server | undefined;
  const running = new Set<string>();
  let overlap = false;
  hooks.beforeEach((test) => {
    // A test of node:test may run others inside it, one after the other.
    overlap ||= [...running].some((name) => !test.startsWith(`${name} > `));
    running.add(test);
    if (!overlap) current = createEmulator(options);
    return () => {
      running.delete(test);
      overlap &&= running.size > 0;
    };
  });
  const served = () => server;
  // Tests that do not use it may run at the same time.
  const unshared = () => {
    if (overlap)
      throw new Error(
        `useEmulator: tests of this file run at the same time and would share it. ${advice}`,
      );
    return current;
  };
  if (isServed) {
    hooks.beforeAll(
      async () => void (server = await listen(withAssertions(() => current, served))),
    );
    hooks.afterAll(async () => server?.close());
  }
  return withAssertions(unshared, served);
}

/** Calls `use` with an emulator of its own. */
export async function provideTestEmulator(
  { listen: isServed, ...options }: TestEmulatorOptions,
  use: (emulator: TestEmulator) => Promise<void>,
  listen: Listen,
): Promise<void> {
  const emulator = createEmulator(options);
  const server = isServed ? await listen(emulator) : undefined;
  const test = withAssertions(
    () => emulator,
    () => server,
  );
  await use(test);
  await server?.close();
}

function withAssertions(current: () => Emulator, server: () => Server | undefined): TestEmulator {
  const own = {
    get baseUrl() {
      return server()?.baseUrl;
    },
    paidOnce: () => own.paidTimes(1),
    paidTimes(count: number) {
      const { charges } = current();
      if (charges.length === count) return;
      throw new Error(
        `${charges.length} generation${charges.length === 1 ? " was" : "s were"} billed, not ${count}.${linesOf(charges)}`,
      );
    },
    noViolations() {
      const { violatingCalls, violations } = current().report();
      if (violatingCalls === 0) return;
      const lines = violations.map(
        ({ method, path, violations }) => `\n  ${method} ${path}: ${violations.join("; ")}`,
      );
      throw new Error(
        `${violatingCalls} call${violatingCalls === 1 ? "" : "s"} had violations:${lines.join("")}`,
      );
    },
  };
  return new Proxy(own, {
    get: (_, name) => Reflect.get(name in own ? own : current(), name) as unknown,
    set: (_, name, value) => Reflect.set(current(), name, value),
    // The cast: it reads all other members from the current emulator.
  }) as typeof own & Emulator;
}

function linesOf(charges: readonly Charge[]): string {
  return charges
    .map(({ taskid, operation, credits }) => `\n  ${taskid} by ${operation}, ${credits} credits`)
    .join("");
}
