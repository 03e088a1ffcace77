import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createEmulator, resultsFrom, type EmulatorOptions } from "@mediagen/emulator/node";
import { blobs, createMediaGen } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { renderPicture } from "../../packages/emulator/src/media/png.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { readPng } from "./media/read-png.ts";

function start(options: EmulatorOptions = {}) {
  const emulator = createEmulator(options);
  return { emulator, media: createMediaGen(emulator.client) };
}

const text = { title: "", body: "", note: "" };
const png = (width: number, height: number) => renderPicture({ width, height, seed: "1", text });
const file = (bytes: Uint8Array<ArrayBuffer>, type = "image/png") => new Blob([bytes], { type });
const bytesOf = (name: string, ...more: readonly number[]) =>
  Uint8Array.from([...Array.from(name, (character) => character.charCodeAt(0)), ...more]);
const none = (count: number) => Array.from({ length: count }, () => 0);

/** The first bytes of pictures of 400 x 800 pixels. */
const pictures: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  png: png(400, 800),
  gif: bytesOf("GIF89a", 0x90, 1, 0x20, 3),
  webpLossy: bytesOf("RIFF0000WEBPVP8 0000000000", 0x90, 1, 0x20, 3),
  webpLossless: bytesOf("RIFF0000WEBPVP8L0000/", 0x8f, 0xc1, 0xc7, 0),
  webpExtended: bytesOf("RIFF0000WEBPVP8X00000000", 0x8f, 1, 0, 0x1f, 3, 0),
  jpeg: Uint8Array.from([
    0xff,
    0xd8,
    0xff,
    0xe0,
    0,
    4,
    0,
    0,
    0xff,
    0xc2,
    0,
    17,
    8,
    3,
    0x20,
    1,
    0x90,
    ...none(12),
  ]),
};

describe("a source image", () => {
  test.for(Object.keys(pictures))(
    "in the format %s gives a video of ratio adaptive its shape",
    async (name) => {
      const { emulator, media } = start();
      const bytes = pictures[name] ?? new Uint8Array();
      await media.video.generate("vidmodelv2", { ratio: "adaptive", sourceImage: file(bytes) });
      expect(emulator.tasks[0]?.plan).toMatchObject({ width: 720, height: 1440 });
    },
  );

  test.for([
    ["of an unknown format", bytesOf("II*", 0, 8, 0, 0, 0)],
    ["that is cut off", (pictures["png"] ?? new Uint8Array()).slice(0, 12)],
  ] as const)("%s gives it the usual ratio", async ([, bytes]) => {
    const { emulator, media } = start();
    await media.video.generate("vidmodelv2", { ratio: "adaptive", sourceImage: file(bytes) });
    expect(emulator.tasks[0]?.plan).toMatchObject({ width: 1280, height: 720 });
  });

  test("changes the result, and is kept in snapshots", async () => {
    const results = await Promise.all(
      [png(64, 64), png(64, 65)].map(async (source) => {
        const { emulator, media } = start();
        const task = await media.image.generate("imgmodelv4", {
          prompt: "A fox",
          sourceImage: file(source),
        });
        await task.wait();
        const again = start();
        again.emulator.restore(
          JSON.parse(JSON.stringify(emulator.snapshot())) as ReturnType<typeof emulator.snapshot>,
        );
        const [one] = await blobs(task);
        const [other] = await blobs(again.media.task(task.toJSON()));
        expect(await other?.text()).toBe(await one?.text());
        return one?.text();
      }),
    );
    expect(results[0]).not.toBe(results[1]);
  });
});

describe("a prompt in another script is drawn in Latin letters", () => {
  /** The pixels of a prompt's picture: its file also holds the prompt as it is. */
  const drawn = async (prompt: string) => {
    const { media } = start();
    const task = await media.image.generate("imgmodelz", { prompt, resolution: "300*200" });
    await task.wait();
    const [blob] = await blobs(task);
    const { index } = readPng(new Uint8Array((await blob?.arrayBuffer()) ?? new ArrayBuffer()));
    return Array.from({ length: 300 * 200 }, (_, pixel) =>
      index(pixel % 300, Math.floor(pixel / 300)),
    ).join();
  };
  test.for([
    ["Un été à la plage", "Un ete a la plage"],
    ["Ein Fuß\nim Schnee", "Ein Fuss im Schnee"],
    ["Лиса бежит", "Lisa bezhit"],
    ["🦊 fox", ":fox: fox"],
  ] as const)("%s as %s", async ([prompt, latin]) => {
    expect(await drawn(prompt)).toBe(await drawn(latin));
  });
});

describe("own results", () => {
  const names =
    "fox.mp4,red-fox.mp4,fox imgmodelv4.jpg,default.2.webp,vidmodelv2.mov,notes.txt,fox.png".split(
      ",",
    );

  test.for([
    ["video", "vidmodelv2", "A fox", ["fox.mp4"]],
    ["video", "vidmodelv2", "A foxglove", ["vidmodelv2.mov"]],
    ["video", "vidmodelv2", "The RED, red fox", ["red-fox.mp4"]],
    ["video", "vidmodelv2fast", "A cat", [undefined]],
    ["image", "imgmodelv4", "A fox", ["fox imgmodelv4.jpg", "fox imgmodelv4.jpg"]],
    ["image", "imgmodelv4", "A cat", [undefined, "default.2.webp"]],
  ] as const)(
    "of a %s by %s with the prompt %s are chosen by name",
    async ([kind, model, prompt, chosen]) => {
      const directory = await temporaryDirectory();
      await Promise.all(names.map((name) => writeFile(join(directory, name), name)));
      const { media } = start({ results: await resultsFrom(directory) });
      const task = await media.generate(model, {
        prompt,
        ...(kind === "image" ? { batchsize: 2 } : {}),
      });
      const { url } = await task.wait();
      const got = await blobs(task);
      expect(got).toHaveLength(chosen.length);
      for (const [index, name] of chosen.entries()) {
        const extension = name?.split(".").at(-1) ?? (kind === "video" ? "mp4" : "png");
        expect(url[index]).toMatch(new RegExp(`/${index + 1}\\.${extension}\\?`));
        if (name !== undefined) expect(await got[index]?.text()).toBe(name);
        else expect(got[index]?.size).toBeGreaterThan(1_000);
      }
    },
  );
});
