import { defineConfig } from "vitest/config";

/** What needs a Redis and a PostgreSQL on this machine, one after the other. */
export default defineConfig({
  test: {
    include: ["test/fleet/*.test.ts"],
    fileParallelism: false,
    testTimeout: 1_200_000,
    reporters: ["default", ["json", { outputFile: "out/test-fleet.json" }]],
  },
});
