import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator } from "@mediagen/emulator";
import { createMediaGen, download } from "@mediagen/sdk/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { renderClip } from "../../../packages/emulator/src/media/clip.ts";
import { kinds } from "../../contract/cases.ts";
import { decode } from "../media/read-h264.ts";

let folder = "";
beforeAll(async () => {
  // Another decoder than the browser's, which is always asked.
  if (spawnSync("ffprobe", ["-version"]).status !== 0)
    throw new Error("ffprobe and ffmpeg are needed here: apt-get install ffmpeg");
  folder = await mkdtemp(join(tmpdir(), "mediagen-"));
});
afterAll(() => rm(folder, { recursive: true }));

const media = createMediaGen(createEmulator({ credits: 1_000_000 }).client);
const valuesOf = (field: string) => {
  const form = kinds.find(({ kind }) => kind === "video")?.generate.get("vidmodelv2")?.requestBody.content[
    "multipart/form-data"
  ]?.schema;
  return form?.properties?.[field]?.enum ?? [];
};
const forms = valuesOf("ratio").flatMap((ratio) =>
  valuesOf("resolution").flatMap((resolution) =>
    [true, false].map((generate_audio) => ({ ratio, resolution, generate_audio, fps: generate_audio ? 24 : 30 })),
  ),
);

test.for(forms)("ffprobe and ffmpeg read a clip of %o without a word", async (form) => {
  // The cast: the values come from the spec here, where the compiler cannot know them.
  const task = await media.video.generate("vidmodelv2", { prompt: "A fox 🦊 runs", ...form } as never);
  await task.wait();
  const [file] = await download(task, join(folder, task.taskid));
  const run = (command: string, ...args: string[]) =>
    spawnSync(command, ["-v", "error", ...args], { encoding: "utf8" });
  const streams = run(
    "ffprobe",
    "-show_entries",
    "stream=codec_name,nb_frames:format=duration",
    "-of",
    "csv=p=0",
    file?.path ?? "",
  );
  expect(streams).toMatchObject({
    status: 0,
    stderr: "",
    stdout: expect.stringMatching(form.generate_audio ? /h264,120[^]*aac/ : /^h264,150\n5\.0/),
  });
  expect(run("ffmpeg", "-xerror", "-i", file?.path ?? "", "-f", "null", "-")).toMatchObject({
    status: 0,
    stdout: "",
    stderr: "",
  });
});

test("a clip is decoded by ffmpeg without a word, to the same pixels as by our reader", () => {
  for (const size of [
    { width: 1280, height: 720 },
    { width: 642, height: 362 },
    { width: 482, height: 486 },
  ]) {
    const clip = renderClip({
      ...size,
      fps: 24,
      seconds: 2,
      audio: true,
      seed: "42",
      text: { title: "A title", body: "A fox runs through snow.", note: "a note" },
    });
    writeFileSync(join(folder, "clip.mp4"), clip);
    const { stdout, stderr } = spawnSync(
      "ffmpeg",
      ["-v", "error", "-i", join(folder, "clip.mp4"), "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"],
      { maxBuffer: 2 ** 28 },
    );
    expect(stderr.toString()).toBe("");
    for (const [frame, { columns, luma }] of decode(clip, size).entries()) {
      const area = size.width * size.height;
      const pixels = stdout.subarray(frame * area * 1.5, frame * area * 1.5 + area); // luma; chroma follows
      const differing = pixels.findIndex((value, pixel) => {
        const [x, y] = [pixel % size.width, Math.floor(pixel / size.width)];
        return luma[(y >> 2) * columns + (x >> 2)] !== value;
      });
      expect(differing).toBe(-1);
    }
  }
});
