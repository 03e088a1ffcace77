import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import {
  defineConfig,
  type TestProjectInlineConfiguration,
  type TestUserConfig,
} from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Begins with those that have processes of their own, because a shared process ends when such a
 * file is next, and continues with what starts browsers, compilers and processes: at the end of a
 * run, a long file would run alone.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/(cli|docs|package|runtimes|simulator|spec)\/|\/[\w-]*(kill|lock|slow|hanging)[\w-]*\.test/.test(
        moduleId,
      );
    const rank = (file: TestSpecification) => {
      if (file.project.config.isolate) return 0;
      return isLong(file) ? 1 : 2;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/**
 * Those that watch all that a process does, and those that import programs which read the
 * environment: what such a program creates once, such as the AI SDK's provider, would serve the
 * next file as well.
 */
const alone = [
  "test/faults/matrix.test.ts",
  "test/docs/frameworks.test.ts",
  "test/ai-sdk/readme.test.ts",
];
/**
 * What `npm run test:weekly -- NAME` runs instead, by name. Each name is Vitest's mode as well,
 * which some tests ask for.
 */
const named: Readonly<Record<string, TestUserConfig>> = {
  /** More schedules, a million. */
  simulate: { include: ["test/simulator/*.test.ts"] },
  /** The contract at the service itself. Spends credits. */
  live: { include: ["test/contract/*.test.ts"] },
  /**
   * What takes minutes: all of the differential test, of the commands of the guides, of the
   * versions of TypeScript and of the site's accessibility, a batch of ten thousand lines, and
   * Jest, one after the other.
   */
  long: {
    include: [
      "test/emulator/differential.test.ts",
      "test/package/{command,installed}.test.ts",
      "test/docs/site-access.test.ts",
      "test/weekly/long/*.test.ts",
    ],
    globalSetup: "test/weekly/long/setup.ts",
    env: { MEDIAGEN_LONG: "1" },
    fileParallelism: false,
    testTimeout: 600_000,
  },
  /**
   * The same checks of the SDK on Node 20 to 26, Deno, Bun, workerd and Chromium: 1 GB, installed
   * once.
   */
  runtimes: { include: ["test/runtimes/*.test.ts"], fileParallelism: false },
  /** What needs a Redis and a PostgreSQL on this machine, one after the other. */
  fleet: {
    include: ["test/weekly/fleet/*.test.ts"],
    globalSetup: "test/weekly/fleet/setup.ts",
    typecheck: typecheckOf("test/weekly/fleet"),
    fileParallelism: false,
    testTimeout: 1_200_000,
  },
  /** Workflow engines, killed after paying. DBOS needs a PostgreSQL on this machine. */
  engines: {
    include: ["test/weekly/engines/*.test.ts"],
    globalSetup: "test/weekly/engines/setup.ts",
  },
  /** The published description, read by generators of clients and other tools. */
  generators: {
    include: ["test/weekly/generators/*.test.ts"],
    globalSetup: "test/weekly/generators/setup.ts",
  },
  /**
   * Schemas and the MCP server, in the libraries that use them, and the packages, installed by
   * other package managers.
   */
  integrations: {
    include: ["test/weekly/integrations/*.test.ts"],
    globalSetup: "test/weekly/integrations/setup.ts",
    typecheck: typecheckOf("test/weekly/integrations"),
  },
};
/** Also checks the types of tests in a directory whose libraries the other tests do not have. */
function typecheckOf(directory: string): NonNullable<TestUserConfig["typecheck"]> {
  return {
    enabled: true,
    include: [`${directory}/*.test.ts`],
    // By path: two compilers own the bin `tsc`.
    checker: "node_modules/typescript/bin/tsc",
    tsconfig: `${directory}/tsconfig.json`,
  };
}

const elsewhere = ["test/weekly/**", "test/{bench,runtimes/engines}/node_modules/**"];

/** `npm test` */
const projects: TestProjectInlineConfiguration[] = [
  {
    extends: true,
    test: {
      name: "tests",
      include: ["test/**/*.test.ts"],
      exclude: [...elsewhere, ...alone],
      // A process for each file would cost as much as the tests: starting one takes 0.7 s of CPU.
      isolate: false,
      setupFiles: "test/restore.ts",
      typecheck: {
        enabled: true,
        include: ["test/**/*.test-d.ts"],
        // By path: several versions own the bin `tsc`. This one is four times as fast as 6.0.
        checker: "node_modules/typescript-7/bin/tsc",
        tsconfig: "tsconfig.json",
      },
    },
  },
  { extends: true, test: { name: "alone", include: alone } },
];

export default defineConfig(({ mode }) => {
  // A name with a typo would run all of `npm test`.
  if (mode !== "test" && !Object.hasOwn(named, mode))
    throw new Error(`there is no "${mode}". Use one of ${Object.keys(named).join(", ")}.`);
  return {
    test: {
      // Some tests run compilers or a browser, and each core runs a test file: what takes longer
      // than this hangs.
      testTimeout: 120_000,
      // More than there are cores: many tests wait for processes of their own.
      maxWorkers: availableParallelism() + 2,
      hookTimeout: 120_000,
      sequence: { sequencer: LongestFirst },
      expect: { poll: { timeout: 10_000 } },
      // What is built is imported as Node imports it: to pass it through Vite takes each file of
      // tests longer.
      server: { deps: { external: [/\/packages\/[\w-]+\/dist\//] } },
      ...(named[mode] ?? { projects }),
      env: {
        // Runs of `mediagen-emulator exec` leave the state of the machine's user alone.
        XDG_STATE_HOME: resolve("out/state"),
        // Most of the time of a short program is the compiling of its modules.
        NODE_COMPILE_CACHE: resolve("out/compiled"),
        // Redocly would ask the registry for its newest version.
        REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
        ...named[mode]?.env,
      },
      reporters: [
        "default",
        ["json", { outputFile: mode in named ? `out/test-${mode}.json` : "out/test.json" }],
      ],
    },
  };
});
