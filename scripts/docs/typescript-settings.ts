/** The versions of TypeScript that test/package installs, with their package names. */
export const compilers = {
  "5.7": "typescript-5.7",
  "5.9": "typescript-5.9",
  "6.0": "typescript",
  "7.0": "typescript-7",
} as const;

/** A version of TypeScript that a test compiles with. */
export type CompilerVersion = keyof typeof compilers;

/** Compiler settings for one type of project, with the versions that support them. */
export interface TypeScriptSettings {
  /** The value of `type` in the project's package.json. */
  readonly project: "module" | "commonjs";
  readonly module: "nodenext" | "node16" | "esnext" | "commonjs";
  /** The default follows from `module`. */
  readonly moduleResolution?: "bundler" | "node10";
  readonly works: readonly CompilerVersion[];
  /** The versions that no longer have these settings. */
  readonly removed?: readonly CompilerVersion[];
}

/** Every combination that the tests compile, in the order of the table in docs/guides/module-formats.md. */
export const typeScriptSettings: readonly TypeScriptSettings[] = [
  { project: "module", module: "nodenext", works: ["5.7", "5.9", "6.0", "7.0"] },
  { project: "module", module: "node16", works: ["5.7", "5.9", "6.0", "7.0"] },
  { project: "module", module: "esnext", moduleResolution: "bundler", works: ["5.7", "5.9", "6.0", "7.0"] },
  { project: "commonjs", module: "nodenext", works: ["5.9", "6.0", "7.0"] },
  { project: "commonjs", module: "node16", works: [] },
  {
    project: "commonjs",
    module: "commonjs",
    moduleResolution: "node10",
    works: ["5.7", "5.9"],
    removed: ["6.0", "7.0"],
  },
];

/** Returns the rows of the table: the project, the settings, and whether each version works with them. */
export function typeScriptRows(): readonly (readonly string[])[] {
  return typeScriptSettings.map(({ project, module, moduleResolution, works, removed = [] }) => [
    project === "module" ? "ESM" : "CommonJS",
    `\`${module}\`${moduleResolution ? `, \`${moduleResolution}\`` : ""}`,
    ...Object.keys(compilers).map((version) => {
      const has = (versions: readonly string[]) => versions.includes(version);
      if (has(works)) return "yes";
      return has(removed) ? "-" : "no";
    }),
  ]);
}
