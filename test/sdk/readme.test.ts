import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { renderPicture } from "../../packages/emulator/src/media/png.ts";
import { expect, test } from "vitest";

const exec = promisify(execFile);

test.for<[string, { readonly prints: RegExp; readonly brings: readonly unknown[] }]>([
  ["packages/sdk/README.md", { prints: /^$/, brings: [expect.stringMatching(/\.mp4$/)] }],
  ["packages/emulator/README.md", { prints: /^$/, brings: [] }],
])("the program in %s compiles, runs, and does what it says", async ([readme, { prints, brings }]) => {
  await mkdir("out", { recursive: true });
  const folder = resolve(await mkdtemp("out/readme-"));
  try {
    const program = /```ts\n([^]*?)```/.exec(await readFile(readme, "utf8"))?.[1] ?? "";
    await writeFile(join(folder, "program.ts"), program);
    await writeFile(
      join(folder, "first.png"),
      renderPicture({ width: 64, height: 64, seed: "", text: { title: "", body: "", note: "" } }),
    );
    // A few lines that show something need not use it.
    const compilerOptions = { noEmit: true, noUnusedLocals: false };
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: "../../tsconfig.json", compilerOptions, include: ["program.ts"] }),
    );
    const compiled = exec(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", folder]);
    expect(await compiled.catch((error: { stdout: string }) => error)).toEqual({ stdout: "", stderr: "" });

    const emulator = [
      resolve("packages/emulator/dist/command.js"),
      "--speed",
      "100",
      "exec",
      "--",
      process.execPath,
      "program.ts",
    ];
    const { stdout } = await exec(process.execPath, emulator, { cwd: folder });
    expect(stdout).toMatch(prints);
    expect(await readdir(join(folder, "out")).catch(() => [])).toEqual(brings);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
