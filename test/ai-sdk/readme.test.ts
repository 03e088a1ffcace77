import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createEmulator, listen } from "@mediagen/emulator/node";
import { expect, test, vi } from "vitest";

test("the program of the README runs with the environment alone, and prints its two images", async () => {
  const emulator = createEmulator({ clock: { speed: 100 } });
  const server = await listen(emulator);
  await mkdir("out", { recursive: true });
  const folder = resolve(await mkdtemp("out/ai-sdk-"));
  vi.stubEnv("MEDIAGEN_BASE_URL", server.baseUrl);
  vi.stubEnv("MEDIAGEN_API_KEY", emulator.client.apiKey);
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    const readme = await readFile("packages/ai-sdk-provider/README.md", "utf8");
    const file = join(folder, "program.ts");
    await writeFile(file, /```ts\n([^]*?)```/.exec(readme)?.[1] ?? "");
    await import(pathToFileURL(file).href);
    const image = expect.stringMatching(/^image\/png, \d+ bytes$/);
    expect(log).toHaveBeenCalledExactlyOnceWith([image, image]);
    expect(emulator.charges).toHaveLength(1);
  } finally {
    log.mockRestore();
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
    await server.close();
  }
});
