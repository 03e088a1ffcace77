import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { renderPicture } from "../../packages/emulator/src/media/png.ts";

/** A program of the docs in a folder of its own. */
export interface Program {
  readonly name: string;
  readonly folder: string;
  /** The shell line that runs it. */
  readonly line: string;
}

/** How a run of a program ended. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The programs of docs/examples that are not run twice from an empty directory, and why. Those of its directories are modules of
 * programs, or need a Redis or PostgreSQL.
 */
export const notRun: Readonly<Record<string, string>> = {
  "ai-sdk.ts": "needs the AI SDK",
  "concurrent-tests.ts": "is a file of tests, which Vitest runs",
  "certificates.ts": "needs a server with its own certificates",
  "mcp-server.ts": "needs the package of the MCP server",
  "open-telemetry.ts": "needs a package of OpenTelemetry",
  "proxies.ts": "needs a proxy",
  "with-prism.ts": "needs the mock server of this repository",
};

/** The lines of programs that need another program, or an image at a URL. */
const lines: Readonly<Record<string, string>> = {
  "collect.ts": "node submit.ts && node collect.ts",
  "source-images.ts": `IMAGE_URL="data:image/png;base64,$(base64 < first.png | tr -d '\\n')" node source-images.ts`,
};

/** Puts each program of the READMEs and of docs/examples into a folder with two source images. */
export async function writePrograms(project: string): Promise<readonly Program[]> {
  const programs: Program[] = [];
  const add = async (name: string, text: string, line: string) => {
    const folder = join(project, "programs", name.replaceAll(/\W/g, "-"));
    await mkdir(folder, { recursive: true });
    for (const seed of ["first", "last"]) {
      const picture = renderPicture({ width: 64, height: 64, seed, text: { title: "", body: "", note: "" } });
      await writeFile(join(folder, `${seed}.png`), picture);
    }
    await writeFile(join(folder, "jobs.jsonl"), '{ "id": "fox", "model": "imgmodelz", "prompt": "A fox" }\n');
    await writeFile(join(folder, name.endsWith(".md") ? "program.ts" : name), text);
    programs.push({ name, folder, line });
  };

  // Each package's README begins with a program. That of the main README is one of docs/examples.
  const blocksOf = async (file: string, language: string) =>
    [...(await readFile(file, "utf8")).matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g"))].map(
      ([, block = ""]) => block,
    );
  for (const name of ["sdk", "emulator", "batch"]) {
    const file = `packages/${name}/README.md`;
    await add(file, (await blocksOf(file, "ts"))[0] ?? "", "node program.ts");
  }
  const commands = await blocksOf("docs/guides/command-line.md", "sh");
  await add("docs/guides/command-line.md", "", commands.join("\n"));
  for (const name of await readdir("docs/examples")) {
    if (!/\.c?ts$/.test(name) || name in notRun) continue;
    await add(name, await readFile(join("docs/examples", name), "utf8"), lines[name] ?? `node ${name}`);
  }
  await cp("docs/examples/submit.ts", join(project, "programs/collect-ts/submit.ts"));
  return programs;
}
