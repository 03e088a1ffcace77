import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import sdk from "../../../packages/sdk/package.json" with { type: "json" };

/** Tests that are worth their seconds only if this directory is mutated. */
const long: Readonly<Record<string, string>> = {
  money: "test/{faults/{matrix,tls-record},simulator/simulator}.test.ts",
  call: "test/faults/matrix.test.ts",
  store: "test/simulator/simulator.test.ts",
  wait: "test/sdk/{hanging-polls,scheduler}.test.ts",
  batch: "test/batch/!(killed).test.ts",
};
const { MUTATED = "" } = process.env;
/** Not those of results, of other packages and of several processes. */
const tests = [
  "test/money/!(ai-sdk|mcp).test.ts",
  "test/sdk/!(*kill*|*stream*|*download*|address|file-from*|hanging-polls|http-proxy*|missing-file|scheduler|time).test.ts",
];

/** A run ends at the first failure: what takes long comes last. */
class LongLast extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      /faults|scheduler|simulator|file-store/.test(moduleId);
    return Promise.resolve(
      files.toSorted((one, other) => Number(isLong(one)) - Number(isLong(other))),
    );
  }
}

/** The tests of one directory in one process, on the sources. */
export default defineConfig({
  define: { MEDIAGEN_VERSION: JSON.stringify(sdk.version) },
  resolve: {
    alias: [
      {
        find: /^@mediagen\/(?!emulator)([\w-]+)$/,
        replacement: resolve("packages/$1/src/index.ts"),
      },
      {
        find: /^@mediagen\/(?!emulator)([\w-]+)\/([\w-]+)$/,
        replacement: resolve("packages/$1/src/$2.ts"),
      },
    ],
  },
  test: {
    include: [MUTATED === "batch" ? [] : tests, long[MUTATED] ?? []].flat(),
    setupFiles: "test/restore.ts",
    isolate: false,
    testTimeout: 30_000,
    expect: { poll: { timeout: 5_000 } },
    sequence: { sequencer: LongLast },
    server: { deps: { external: [/\/packages\/[\w-]+\/dist\//] } },
  },
});
