import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates a directory, which is removed when the test has ended. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "mediagen-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
