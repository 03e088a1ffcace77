import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { afterAll, beforeAll, onTestFinished } from "vitest";

const pathIn = (parent: string) => resolve(parent, `mediagen-${randomUUID()}`);

/** Creates a directory, which is removed when the test has ended. */
export async function temporaryDirectory(parent: string = tmpdir()): Promise<string> {
  const directory = pathIn(parent);
  await mkdir(directory, { recursive: true });
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Returns a directory that exists while the tests of this file, or of this `describe`, run. */
export function directoryForAll(parent: string = tmpdir()): string {
  const directory = pathIn(parent);
  beforeAll(() => mkdir(directory, { recursive: true }));
  afterAll(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
