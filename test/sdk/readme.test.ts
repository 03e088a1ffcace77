import { execFile, execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { renderPicture } from "../../packages/emulator/src/png.ts";
import { expect, test } from "vitest";

test("the README's program compiles and runs, and its result is on disk", async () => {
  await mkdir("out", { recursive: true });
  const folder = resolve(await mkdtemp("out/readme-"));
  try {
    const program = /```ts\n([^]*?)```/.exec(await readFile("README.md", "utf8"))?.[1] ?? "";
    await writeFile(join(folder, "program.ts"), program);
    await writeFile(join(folder, "first.png"), renderPicture({ width: 64, height: 64, seed: "", text: { title: "", body: "", note: "" } }));
    const compilerOptions = { noEmit: true };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ extends: "../../tsconfig.json", compilerOptions, include: ["program.ts"] }));
    execFileSync(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", folder], { stdio: "inherit" });

    const emulator = [resolve("packages/emulator/dist/command.js"), "--speed", "100", "exec", "--", process.execPath, "program.ts"];
    const { stdout } = await promisify(execFile)(process.execPath, emulator, { cwd: folder });
    expect(stdout).toMatch(/"version":1,"kind":"video"/);
    expect(stdout).toMatch(/succeeded/);
    expect(await readdir(join(folder, "out"))).toEqual([expect.stringMatching(/\.mp4$/)]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
