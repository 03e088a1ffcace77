import { defineConfig } from "vitest/config";

/** Workflow engines that have their own lockfile, killed after paying. DBOS needs a PostgreSQL on this machine. */
export default defineConfig({
  test: {
    include: ["test/engines/*.test.ts"],
    globalSetup: "test/engines/setup.ts",
    testTimeout: 120_000,
    reporters: ["default", ["json", { outputFile: "out/test-engines.json" }]],
  },
});
