import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createEmulator, listen } from "@mediagen/emulator/node";
import { build } from "esbuild";
import { onTestFinished } from "vitest";
import type { Place, Report } from "./conformance.ts";
import { serve } from "../serve.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import type { Engine } from "./engines.ts";

/** Runs the checks on an engine at an entry point, against an emulator of their own. */
export async function conform(
  engine: Engine,
  entry: Engine["entryPoints"][number],
): Promise<Report> {
  const emulator = await listen(createEmulator({ credits: 1_000_000 }));
  onTestFinished(() => emulator.close());
  const root = await temporaryDirectory();
  // It sends every call on to the emulator, also for pages of any origin.
  await using redirecting = await serve(({ method, url }, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "authorization, content-type");
    if (method === "OPTIONS") response.writeHead(204).end();
    else response.writeHead(307, { location: `${emulator.baseUrl}${url}` }).end();
  });
  const directory = join(root, "files");
  const place = { baseUrl: emulator.baseUrl, redirecting: redirecting.baseUrl, directory };
  await mkdir(directory);
  await writeFile(join(root, "program.mjs"), await bundle(entry, engine.isBrowser, place));
  // The cast: `run` of the program returned it.
  return JSON.parse(await engine.run(root, place)) as Report;
}

/**
 * The program: a module whose `report` runs the checks and returns their outcomes as JSON. It needs
 * nothing but its engine.
 */
async function bundle(entry: string, isBrowser: boolean, place: Place): Promise<string> {
  const contents = `
    import { createMediaGen } from "@mediagen/sdk${entry === "node" ? "/node" : ""}";
    import { browserChecks, checks } from "./checks.ts";
    import { run } from "./conformance.ts";
    ${entry === "node" ? 'import { fileChecks } from "./file-checks.ts";' : "const fileChecks = {};"}
    const all = { ...checks, ...(${isBrowser} ? browserChecks : {}), ...fileChecks };
    export const report = async () => JSON.stringify(await run(all, createMediaGen, ${JSON.stringify(place)}));`;
  const platform = entry === "node" ? "node" : "browser";
  const stdin = { contents, resolveDir: import.meta.dirname };
  const { outputFiles } = await build({
    stdin,
    platform,
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}
