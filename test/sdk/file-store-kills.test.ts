import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileStore } from "@mediagen/sdk/node";
import { expect, test } from "vitest";
import { killWhileGenerating } from "./killing.ts";

// `npm run test:all -- fleet` does so with thousands of keys, and on databases.
test("five processes that are killed and paused at random pay for each key once, and know every task", async () => {
  const directory = await mkdtemp(join(tmpdir(), "mediagen-"));
  try {
    const store = fileStore(directory);
    const report = await killWhileGenerating({ name: "file", at: directory, store, keys: 120, strikes: 12 });
    console.log(JSON.stringify(report));
    expect(report).toMatchObject({ sentTwice: [], lost: [], unlisted: [], changed: [] });
    expect(report.sent).toBeGreaterThan(90);
    expect(report.kills + report.pauses).toBeGreaterThan(3);
  } finally {
    await rm(directory, { recursive: true });
  }
});
