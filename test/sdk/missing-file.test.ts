import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createEmulator, listen } from "@mediagen/emulator/node";
import type * as Sdk from "@mediagen/sdk/node";
import { expect, test } from "vitest";
import { errorOf } from "./fake-service.ts";

// As when a package is replaced while a program runs, or the process has no file descriptors left.
test("a file of the SDK that cannot be loaded was needed before sending: nothing was sent, and it is tried again", async () => {
  await mkdir("out", { recursive: true });
  const project = resolve(await mkdtemp("out/missing-file-"));
  const folder = join(project, "packages/sdk/dist");
  const emulator = createEmulator();
  const server = await listen(emulator);
  try {
    await cp("packages/sdk/dist", folder, { recursive: true });
    await writeFile(join(project, "package.json"), '{"type":"module"}');
    const name = (await readdir(folder)).find((file) => /^transport-\w+\.js$/.test(file)) ?? "";
    await rename(join(folder, name), join(folder, "gone"));
    // The cast: it is a copy of that entry point.
    const { createMediaGen, memoryStore } = (await import(pathToFileURL(join(folder, "node.js")).href)) as typeof Sdk;
    const { apiKey } = emulator.client;
    const media = createMediaGen({ baseUrl: server.baseUrl, apiKey, retries: 0, store: memoryStore() });
    const generate = () => media.image.generate("imgmodelz", { prompt: "A fox" }, { idempotencyKey: "order-1" });
    const error = await errorOf(generate());
    expect(error).toMatchObject({
      name: "ConnectionError",
      message: expect.stringContaining(
        "nothing was sent, because the request could not be prepared: Cannot find module",
      ),
    });
    expect((await media.recover()).unknown).toEqual([]);
    await rename(join(folder, "gone"), join(folder, name));
    await generate();
    expect(emulator.charges).toHaveLength(1);
  } finally {
    await server.close();
    await rm(project, { recursive: true });
  }
});
