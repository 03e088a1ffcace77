import { readFile, writeFile } from "node:fs/promises";
import type { Session } from "../service/session.ts";

/** Reads a session from a file. */
export async function readSession(path: string): Promise<Session> {
  // The cast: the version is checked next, and an invalid response fails in its own call.
  const session = JSON.parse(await readFile(path, "utf8")) as Session | null;
  if (session?.version === 1 && Array.isArray(session.exchanges)) return session;
  throw new Error(`${path} is not a session that --record has written`);
}

/** Writes a session to a file, one exchange per line. */
export async function writeSession(path: string, { version, exchanges }: Session): Promise<void> {
  const lines = exchanges.map((exchange) => JSON.stringify(exchange));
  await writeFile(path, `{"version":${version},"exchanges":[\n${lines.join(",\n")}\n]}\n`);
}
