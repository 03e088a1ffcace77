import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Some tests run compilers or a browser, and each core runs a test file: what takes longer than this hangs.
    testTimeout: 120_000,
    // More than there are cores: many tests wait for processes of their own.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    hookTimeout: 120_000,
    include: ["test/**/*.test.ts"],
    // `npm run test:long`, `test:fleet`, `test:generators`; and what `npm run bench` installs.
    exclude: ["test/*/long/**", "test/fleet/**", "test/generators/**", "test/bench/node_modules/**"],
    expect: { poll: { timeout: 10_000 } },
    typecheck: {
      enabled: true,
      include: ["test/**/*.test-d.ts"],
      // By path: two compilers own the bin `tsc`.
      checker: "node_modules/typescript/bin/tsc",
      tsconfig: "tsconfig.json",
    },
    reporters: ["default", ["json", { outputFile: "out/test.json" }]],
  },
});
