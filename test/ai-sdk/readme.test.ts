import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { listenAsEnvironment } from "./desk.ts";

test("the program of the README runs with the environment alone, and prints its two images", async () => {
  await using environment = await listenAsEnvironment();
  const log = vi.spyOn(console, "log").mockReturnValue();
  const file = resolve(`out/ai-sdk-readme-${process.pid}.ts`);
  const readme = await readFile("packages/ai-sdk-provider/README.md", "utf8");
  await mkdir("out", { recursive: true });
  await writeFile(file, /```ts\n([^]*?)```/.exec(readme)?.[1] ?? "");
  await import(file).finally(() => rm(file));
  const image = expect.stringMatching(/^image\/png, \d+ bytes$/);
  expect(log).toHaveBeenCalledExactlyOnceWith([image, image]);
  expect(environment.emulator.charges).toHaveLength(1);
});
