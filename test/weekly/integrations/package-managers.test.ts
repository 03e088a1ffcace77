import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { temporaryDirectory } from "../../temporary-directory.ts";

const exec = promisify(execFile);
const modules = resolve("test/weekly/integrations/node_modules");
/** The JSON and the YAML that `npm run pack` prints, and its line for npm. */
let printed: readonly string[] = [];

beforeAll(async () => {
  const { stdout } = await exec(process.execPath, ["scripts/pack.ts"]);
  printed = [/^\{\n[^]*?^\}$/m, /^overrides:\n( {2}.*\n)+/m, /^ {2}(npm install .*)$/m].map(
    (block) => block.exec(stdout)?.at(0) ?? "",
  );
});

test.for<
  [
    name: string,
    command: readonly string[],
    files: (printed: readonly string[]) => Readonly<Record<string, string>>,
  ]
>([
  ["npm", ["sh", "-c", "$PACKED --no-audit --no-fund"], () => ({ "package.json": "{}" })],
  [
    "pnpm",
    [join(modules, ".bin/pnpm"), "install"],
    ([json = "", yaml = ""]) => ({
      "package.json": withoutResolutions(json),
      "pnpm-workspace.yaml": yaml,
    }),
  ],
  [
    "yarn",
    [process.execPath, join(modules, "@yarnpkg/cli-dist/bin/yarn.js"), "install", "--no-immutable"],
    ([json = ""]) => ({ "package.json": json, ".yarnrc.yml": "nodeLinker: node-modules\n" }),
  ],
  ["bun", [join(modules, ".bin/bun"), "install"], ([json = ""]) => ({ "package.json": json })],
])(
  "%s installs what npm run pack prints, and every entry point is found",
  { timeout: 300_000 },
  async ([, command, filesOf]) => {
    const directory = await temporaryDirectory();
    for (const [name, text] of Object.entries(filesOf(printed)))
      await writeFile(join(directory, name), text);
    const [file = "", ...args] = command;
    await exec(file, args, { cwd: directory, env: { ...process.env, CI: "", PACKED: printed[2] } });
    await writeFile(join(directory, "import.mjs"), program(await entryPoints(directory)));
    const { stdout } = await exec(process.execPath, ["import.mjs"], { cwd: directory });
    expect(JSON.parse(stdout)).toEqual(
      expect.arrayContaining(["@mediagen/sdk/node", "@mediagen/batch", "@mediagen/mcp"]),
    );
    // The name that the docs use, without a registry.
    const offline = { ...process.env, npm_config_offline: "true" };
    const version = await exec("npx", ["@mediagen/cli", "--version"], {
      cwd: directory,
      env: offline,
    });
    expect(version.stdout).toBe("0.1.0\n");
  },
);

function withoutResolutions(json: string): string {
  return JSON.stringify({ ...(JSON.parse(json) as object), resolutions: undefined });
}

/** Returns the entry points of the installed packages. */
async function entryPoints(directory: string): Promise<readonly string[]> {
  // The cast: it is what the script prints.
  const names = Object.keys(
    (JSON.parse(printed[0] ?? "") as { readonly dependencies: object }).dependencies,
  );
  expect(names).toHaveLength(8);
  const found = names.map(async (name) => {
    const manifest = await readFile(join(directory, "node_modules", name, "package.json"), "utf8");
    const { exports } = JSON.parse(manifest) as { readonly exports: object };
    return Object.keys(exports).map((entry) => join(name, entry));
  });
  return (await Promise.all(found)).flat();
}

/**
 * Returns a program that imports entry points. Commands would run, and one is for Vitest: these are
 * only found.
 */
function program(entries: readonly string[]): string {
  const imports = entries.filter((entry) => !/command$|vitest$|json$/.test(entry));
  return `for (const entry of ${JSON.stringify(entries)}) import.meta.resolve(entry);
    for (const entry of ${JSON.stringify(imports)}) if (Object.keys(await import(entry)).length === 0) throw new Error(entry);
    console.log(${JSON.stringify(JSON.stringify(imports))});`;
}
