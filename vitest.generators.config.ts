import { defineConfig } from "vitest/config";

/** The published description, read by generators of clients and other tools that have their own lockfile. */
export default defineConfig({
  test: {
    include: ["test/generators/*.test.ts"],
    globalSetup: "test/generators/setup.ts",
    testTimeout: 60_000,
    reporters: ["default", ["json", { outputFile: "out/test-generators.json" }]],
  },
});
