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
   * @example
   * useEmulator().paidOnce();
   */
  paidOnce(): void;
  /**
   * Asserts how many generations were billed.
   *
   * @throws An `Error` that lists what was billed
   * @example
   * useEmulator().paidTimes(0);
   */
  paidTimes(count: number): void;
  /**
   * Asserts that nothing was wrong with any call.
   *
   * @throws An `Error` that lists the violations
   * @example
   * useEmulator().noViolations();
   */
  noViolations(): void;
}

/** The options of `useEmulator`. */
export interface TestEmulatorOptions extends EmulatorOptions {
  /**
   * Whether to listen on a free port, for programs in other processes. They do not see the emulator's clock: use `{ speed: 100 }`.
   * @default false
   */
  readonly listen?: boolean | undefined;
}

/** The hooks of a test framework. */
interface Hooks {
  beforeAll(work: () => Promise<void>): void;
  beforeEach(work: () => void): void;
  afterAll(work: () => Promise<void>): void;
}

/** A server with a base URL, as `listen` creates it. */
interface Server {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Creates an emulator that the hooks of a test framework replace with a new one before each test. */
export function createTestEmulator(
  { listen: isServed, ...options }: TestEmulatorOptions,
  hooks: Hooks,
  listen: (emulator: Emulator) => Promise<Server>,
): TestEmulator {
  let current = createEmulator(options);
  let server: Server | undefined;
  hooks.beforeEach(() => void (current = createEmulator(options)));
  const own = {
    get baseUrl() {
      return server?.baseUrl;
    },
    paidOnce: () => own.paidTimes(1),
    paidTimes(count: number) {
      const { charges } = current;
      if (charges.length === count) return;
      throw new Error(
        `${charges.length} generation${charges.length === 1 ? " was" : "s were"} billed, not ${count}.${linesOf(charges)}`,
      );
    },
    noViolations() {
      const { violatingCalls, violations } = current.report();
      if (violatingCalls === 0) return;
      const lines = violations.map(({ method, path, violations }) => `\n  ${method} ${path}: ${violations.join("; ")}`);
      throw new Error(`${violatingCalls} call${violatingCalls === 1 ? "" : "s"} had violations:${lines.join("")}`);
    },
  };
  const emulator = new Proxy(own, {
    get: (_, name) => Reflect.get(name in own ? own : current, name) as unknown,
    set: (_, name, value) => Reflect.set(current, name, value),
    // The cast: it reads all other members from the current emulator.
  }) as typeof own & Emulator;
  if (isServed) {
    hooks.beforeAll(async () => void (server = await listen(emulator)));
    hooks.afterAll(async () => server?.close());
  }
  return emulator;
}

function linesOf(charges: readonly Charge[]): string {
  return charges.map(({ taskid, operation, credits }) => `\n  ${taskid} by ${operation}, ${credits} credits`).join("");
}
