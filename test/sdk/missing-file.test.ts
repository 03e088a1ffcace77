import { cp, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createEmulator, listen } from "@mediagen/emulator/node";
import type * as Sdk from "@mediagen/sdk/node";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";
import { errorOf } from "./fake-service.ts";

// As when a package is replaced while a program runs.
test("a file of the SDK that cannot be loaded was needed before sending: nothing was sent, and it is retried", async () => {
  const project = await temporaryDirectory("out");
  const dist = join(project, "packages/sdk/dist");
  await cp("packages/sdk/dist", dist, { recursive: true });
  await writeFile(join(project, "package.json"), '{"type":"module"}');
  expect(await readdir(dist)).toContain("transport.js");
  const transport = join(dist, "transport.js");
  await rename(transport, `${transport}.gone`);
  // The cast: it is a copy of that entry point.
  const { createMediaGen, memoryStore } = (await import(
    pathToFileURL(join(dist, "node.js")).href
  )) as typeof Sdk;
  const emulator = createEmulator();
  const { baseUrl, close } = await listen(emulator);
  onTestFinished(close);
  const { apiKey } = emulator.client;
  const media = createMediaGen({ baseUrl, apiKey, retries: 0, store: memoryStore() });
  const generate = () =>
    media.image.generate("imgmodelz", { prompt: "A fox" }, { idempotencyKey: "order-1" });
  const message = expect.stringContaining("nothing was sent (Cannot find module") as string;
  expect(await errorOf(generate())).toMatchObject({ name: "ConnectionError", message });
  expect((await media.recover()).unknown).toEqual([]);
  await rename(`${transport}.gone`, transport);
  await generate();
  expect(emulator.charges).toHaveLength(1);
});
