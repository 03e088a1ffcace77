import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/*/long/**"], // `npm run test:long`
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
