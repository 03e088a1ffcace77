import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator, listen } from "@mediagen/emulator/node";
import { build } from "esbuild";
import { browserChecks, checks } from "./checks.ts";
import type { Cell, Check, Place } from "./conformance.ts";
import type { Engine } from "./engines.ts";
import { fileChecks } from "./file-checks.ts";

/** How clients are created. */
export type Entry = "plain" | "node";

/** The names of all checks, in order. */
export const checkNames = [...checks, ...browserChecks, ...fileChecks].map(({ name }) => name);

/** Why a check is not for an engine at an entry point; undefined where it is. */
function inapplicable(name: string, { isBrowser }: Engine, entry: Entry): string | undefined {
  const isOf = (list: readonly Check[]) => list.some((check) => check.name === name);
  if (isOf(fileChecks) && entry === "plain") return "the plain entry point has no files";
  return isOf(browserChecks) && !isBrowser ? "this is no browser" : undefined;
}

/** The entry points of an engine. */
export function entriesOf({ runsNodeEntry }: Engine): readonly Entry[] {
  return runsNodeEntry ? ["plain", "node"] : ["plain"];
}

/** Runs the checks on an engine at an entry point, against an emulator of their own, and answers how each went, by name. */
export async function conform(engine: Engine, entry: Entry): Promise<Readonly<Record<string, Cell>>> {
  const emulator = createEmulator({ credits: 1_000_000 });
  const server = await listen(emulator);
  const redirector = await listenRedirecting(server.baseUrl);
  const folder = await mkdtemp(join(tmpdir(), "mediagen-"));
  try {
    const place = { baseUrl: server.baseUrl, redirecting: redirector.baseUrl, folder: join(folder, "files") };
    await mkdir(place.folder);
    await writeFile(join(folder, "program.mjs"), await bundle(entry, engine.isBrowser, place));
    // The cast: it is what `run` of the program answered.
    const ran = JSON.parse(await engine.run(folder, place)) as Record<string, Cell>;
    return Object.fromEntries(checkNames.map((name) => [name, cellOf(name, engine, entry, ran[name])]));
  } finally {
    await Promise.all([server.close(), redirector.close(), rm(folder, { recursive: true })]);
  }
}

/** The program: a module whose `report` runs the checks and answers the cells as JSON. It needs nothing but its engine. */
async function bundle(entry: Entry, isBrowser: boolean, place: Place): Promise<string> {
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

/** How a check went; a difference that is not known of the engine is a failure, and so is one that is gone. */
function cellOf(name: string, engine: Engine, entry: Entry, cell: Cell | undefined): Cell {
  const why = inapplicable(name, engine, entry);
  if (why !== undefined) return { outcome: "not applicable", note: why };
  if (!cell) return { outcome: "failed", note: "it did not run" };
  const known = engine.differs[name];
  if (cell.outcome === "passed" && known !== undefined)
    return { outcome: "failed", note: `it no longer differs: ${known}` };
  if (cell.outcome === "differs" && !(known !== undefined && cell.note?.startsWith(known)))
    return { outcome: "failed", note: `not known before: ${cell.note}` };
  return cell;
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
