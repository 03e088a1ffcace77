import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator } from "@mediagen/emulator";
import { createMediaGen, download } from "@mediagen/sdk/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "../../contract/cases.ts";

// Another decoder than the browser's, where the machine has one (Debian: ffmpeg); Chromium's is always asked.
const isPresent = spawnSync("ffprobe", ["-version"]).status === 0;

let folder = "";
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "mediagen-"))));
afterAll(() => rm(folder, { recursive: true }));

const media = createMediaGen(createEmulator({ credits: 1_000_000 }).client);
const valuesOf = (field: string) => {
  const form = kinds.find(({ kind }) => kind === "video")?.generate.get("vidmodelv2")?.requestBody.content["multipart/form-data"]?.schema;
  return form?.properties?.[field]?.enum ?? [];
};
const forms = valuesOf("ratio").flatMap((ratio) =>
  valuesOf("resolution").flatMap((resolution) => [true, false].map((generate_audio) => ({ ratio, resolution, generate_audio, fps: generate_audio ? 24 : 30 }))),
);

test.runIf(isPresent).for(forms)("ffprobe and ffmpeg read a clip of %o without a word", async (form) => {
  // The cast: the values come from the spec here, where the compiler cannot know them.
  const task = await media.video.generate("vidmodelv2", { prompt: "A fox 🦊 runs", ...form } as never);
  await task.wait();
  const [file] = await download(task, join(folder, task.taskid));
  const run = (command: string, ...args: string[]) => spawnSync(command, ["-v", "error", ...args], { encoding: "utf8" });
  const streams = run("ffprobe", "-show_entries", "stream=codec_name,nb_frames:format=duration", "-of", "csv=p=0", file?.path ?? "");
  expect(streams).toMatchObject({ status: 0, stderr: "", stdout: expect.stringMatching(form.generate_audio ? /h264,120[^]*aac/ : /^h264,150\n5\.0/) });
  expect(run("ffmpeg", "-xerror", "-i", file?.path ?? "", "-f", "null", "-")).toMatchObject({ status: 0, stdout: "", stderr: "" });
});
