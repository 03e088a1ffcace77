import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Figures } from "./table.ts";

const root = new URL("../../", import.meta.url);

/** A program that imports nothing. */
export async function emptyProgram(): Promise<string> {
  const file = new URL("out/bench/empty.ts", root);
  await mkdir(new URL(".", file), { recursive: true });
  await writeFile(file, "export {};\n");
  return fileURLToPath(file);
}

/** What the compiler says of a program; `sdk` is where it finds ours, if that is not the workspace's. */
export async function compile(program: string, sdk?: URL): Promise<Figures> {
  const config = new URL("out/bench/tsconfig.json", root);
  await mkdir(new URL(".", config), { recursive: true });
  const paths = sdk && { "@mediagen/sdk": [fileURLToPath(new URL("dist/index.d.ts", sdk))] };
  const options = {
    target: "es2022",
    lib: ["es2023", "dom", "dom.iterable"],
    module: "nodenext",
    types: ["node"],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  };
  await writeFile(
    config,
    JSON.stringify({ compilerOptions: { ...options, ...(paths ? { paths } : {}) }, files: [program] }),
  );
  const told = tsc(["-p", fileURLToPath(config), "--extendedDiagnostics"]);
  const figure = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, "m").exec(told)?.[1]);
  return { instantiations: figure("Instantiations"), types: figure("Types"), checkMs: figure("Check time") * 1_000 };
}

/** Runs the compiler, and returns what it prints. */
export function tsc(args: readonly string[]): string {
  return execFileSync(process.execPath, [fileURLToPath(import.meta.resolve("typescript/bin/tsc")), ...args], {
    encoding: "utf8",
    cwd: fileURLToPath(root),
  });
}
