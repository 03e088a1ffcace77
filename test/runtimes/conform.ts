import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator, listen } from "@mediagen/emulator/node";
import { build } from "esbuild";
import type { Outcome, Place } from "./conformance.ts";
import type { Engine } from "./engines.ts";

/** Runs the checks on an engine at an entry point, against an emulator of their own, and returns how each went, by name. */
export async function conform(
  engine: Engine,
  entry: Engine["entryPoints"][number],
): Promise<Readonly<Record<string, Outcome>>> {
  const emulator = createEmulator({ credits: 1_000_000 });
  const server = await listen(emulator);
  const redirector = await listenRedirecting(server.baseUrl);
  const folder = await mkdtemp(join(tmpdir(), "mediagen-"));
  try {
    const place = { baseUrl: server.baseUrl, redirecting: redirector.baseUrl, folder: join(folder, "files") };
    await mkdir(place.folder);
    await writeFile(join(folder, "program.mjs"), await bundle(entry, engine.isBrowser, place));
    // The cast: `run` of the program returned it.
    return JSON.parse(await engine.run(folder, place)) as Record<string, Outcome>;
  } finally {
    await Promise.all([server.close(), redirector.close(), rm(folder, { recursive: true })]);
  }
}

/** The program: a module whose `report` runs the checks and returns their outcomes as JSON. It needs nothing but its engine. */
async function bundle(entry: string, isBrowser: boolean, place: Place): Promise<string> {
  const contents = `
    import { createMediaGen } from "@mediagen/sdk${entry === "node" ? "/node" : ""}";
    import { browserChecks, checks } from "./checks.ts";
    import { run } from "./conformance.ts";
    ${entry === "node" ? 'import { fileChecks } from "./file-checks.ts";' : "const fileChecks = [];"}
    const all = [...checks, ...(${isBrowser} ? browserChecks : []), ...fileChecks];
    export const report = async () => JSON.stringify(await run(all, createMediaGen, ${JSON.stringify(place)}));`;
  const platform = entry === "node" ? "node" : "browser";
  const stdin = { contents, resolveDir: import.meta.dirname };
  const { outputFiles } = await build({ stdin, platform, bundle: true, format: "esm", target: "es2022", write: false });
  return outputFiles[0]?.text ?? "";
}

/** A server that sends every call on to another, also for pages of any origin. */
async function listenRedirecting(to: string): Promise<{ readonly baseUrl: string; close(): Promise<void> }> {
  const server = createServer(({ method, url }, response) => {
    const headers = {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "authorization, content-type",
    };
    if (method === "OPTIONS") response.writeHead(204, headers).end();
    else response.writeHead(307, { ...headers, location: `${to}${url}` }).end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
