import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Compilers and browsers run here: five seconds are too few on a machine that is busy with other things too.
    testTimeout: 20_000,
    hookTimeout: 30_000,
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
