import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createEmulator, listen } from "@mediagen/emulator/node";
import type * as Sdk from "@mediagen/sdk/node";
import { expect, test } from "vitest";
import { errorOf } from "./fake-service.ts";

/** A copy of the built SDK, of which a file is gone until it is put back: as when a package is replaced while a program runs. */
async function sdkWithout(pattern: RegExp) {
  await mkdir("out", { recursive: true });
  const project = resolve(await mkdtemp("out/missing-file-"));
  const folder = join(project, "packages/sdk/dist");
  await cp("packages/sdk/dist", folder, { recursive: true });
  await writeFile(join(project, "package.json"), '{"type":"module"}');
  const names = (await readdir(folder)).filter((name) => pattern.test(name));
  expect(names).toHaveLength(1);
  const path = join(folder, names[0] ?? "");
  await rename(path, `${path}.gone`);
  // The cast: it is a copy of that entry point.
  const sdk = (await import(pathToFileURL(join(folder, "node.js")).href)) as typeof Sdk;
  return {
    sdk,
    putBack: () => rename(`${path}.gone`, path),
    [Symbol.asyncDispose]: () => rm(project, { recursive: true }),
  };
}

test("a file of the SDK that cannot be loaded was needed before sending: nothing was sent, and it is tried again", async () => {
  await using copy = await sdkWithout(/^transport\.js$/);
  const emulator = createEmulator();
  const { baseUrl, close } = await listen(emulator);
  try {
    const { apiKey } = emulator.client;
    const media = copy.sdk.createMediaGen({ baseUrl, apiKey, retries: 0, store: copy.sdk.memoryStore() });
    const generate = () => media.image.generate("imgmodelz", { prompt: "A fox" }, { idempotencyKey: "order-1" });
    const error = await errorOf(generate());
    expect(error).toMatchObject({
      name: "ConnectionError",
      message: expect.stringContaining("nothing was sent (Cannot find module"),
    });
    expect((await media.recover()).unknown).toEqual([]);
    await copy.putBack();
    await generate();
    expect(emulator.charges).toHaveLength(1);
  } finally {
    await close();
  }
});
