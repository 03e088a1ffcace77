import { defineConfig } from "vitest/config";

/** Schemas and the MCP server, in the libraries that use them, which have their own lockfile. */
export default defineConfig({
  test: {
    include: ["test/integrations/*.test.ts"],
    globalSetup: "test/integrations/setup.ts",
    testTimeout: 60_000,
    typecheck: {
      enabled: true,
      include: ["test/integrations/*.test.ts"],
      // By path: two compilers own the bin `tsc`.
      checker: "node_modules/typescript/bin/tsc",
      tsconfig: "test/integrations/tsconfig.json",
    },
    reporters: ["default", ["json", { outputFile: "out/test-integrations.json" }]],
  },
});
