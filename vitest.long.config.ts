import { defineConfig } from "vitest/config";

/** What takes minutes: all of the differential test, of the versions of TypeScript and of the site's pages, a batch of ten thousand lines, pictures and a second build of the site, Jest, and the emulator under load and kills, one after the other. */
export default defineConfig({
  test: {
    include: [
      "test/emulator/differential.test.ts",
      "test/package/typescript.test.ts",
      "test/docs/site-{access,pages,redoc}.test.ts",
      "test/{batch,docs,emulator,package}/long/*.test.ts",
    ],
    globalSetup: "test/package/long/setup.ts",
    env: { MEDIAGEN_LONG: "1" },
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 120_000,
    reporters: ["default", ["json", { outputFile: "out/test-long.json" }]],
  },
});
