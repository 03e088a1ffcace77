/** Ignores what only chooses the words of a text. */
export const strykerPlugins = [
  {
    kind: "Ignore",
    name: "texts",
    value: { shouldIgnore: (path) => (path.isTemplateLiteral() ? "a text" : undefined) },
  },
];

/** For the sources that mutants.ts passes. */
export default {
  mutate: [process.env.SOURCES],
  testRunner: "vitest",
  vitest: { configFile: "test/weekly/mutants/vitest.config.ts", related: false },
  plugins: ["@stryker-mutator/vitest-runner", "./test/weekly/mutants/stryker.config.js"],
  ignorers: ["texts"],
  mutator: { excludedMutations: ["StringLiteral"] },
  coverageAnalysis: "perTest",
  timeoutMS: 10_000,
  incremental: true,
  incrementalFile: "out/mutants.json",
  tempDirName: "out/stryker",
  ignorePatterns: ["out", "dist", "docs/site", "test/bench", "test/weekly/engines"],
  reporters: ["progress-append-only", "clear-text"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
};
