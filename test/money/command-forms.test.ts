import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inPlace, mediagen } from "../cli/run-command.ts";

// Apart from the forms of the SDK, because a mutant's copy of the packages has no command.
test("the command rejects what the SDK rejects: blank texts, image URLs that are none, a video of nothing", () =>
  inPlace(async ({ emulator, env, cwd }) => {
    await writeFile(join(cwd, "first.gif"), "GIF89a");
    for (const args of [
      ["", "-m", "vidmodelv2", "--image", "first.gif"],
      ["A fox", "-m", "vidmodelv15pro", "--ratio", " "],
      ["A fox", "-m", "vidmodelv15pro", "--image-url", "first.png"],
      ["A fox", "-m", "vidmodelv2", "--image", ""],
      ["-m", "vidmodelv2", "--ratio", "16:9"],
    ]) {
      const { code, stderr } = await mediagen(["video", ...args, "-o", "a.mp4"], { env, cwd }).ended;
      expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining("Nothing was sent.")]);
    }
    expect(emulator.charges).toEqual([]);
  }));
