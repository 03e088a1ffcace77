import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandsIn, inPlace, fails } from "./run-command.ts";

const picture = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

describe("a generation", () => {
  test("downloads the video to the requested file, and prints only its path", () =>
    inPlace(async ({ cwd, emulator, run }) => {
      await writeFile(join(cwd, "first.png"), picture);
      const { code, stdout, stderr } = await run(
        "video 'A fox' --model vidmodelv2 --duration 5 --image first.png --generate-audio=0 -o fox.mp4",
      );
      expect([code, stdout]).toEqual([0, "fox.mp4\n"]);
      expect((await readFile(join(cwd, "fox.mp4"))).subarray(4, 8).toString()).toBe("ftyp");
      expect(emulator.tasks).toMatchObject([
        {
          fields: { prompt: "A fox", duration: 5, generate_audio: "0" },
          files: [
            {
              part: "sourceImage.items",
              name: "first.png",
              type: "image/png",
              size: picture.length,
            },
          ],
        },
      ]);
      expect(stderr).toMatch(
        /^\d:\d\d sending the form to vidmodelv2\n\d:\d\d the task is video:video-\w+\n[^\r\x1b]*succeeded, status 2: video:video-\w+\n[^\r\x1b]*fox\.mp4, \d+ kB, video\/mp4\n$/,
      );
    }));

  test("reads the prompt or a file from stdin, and rejects bytes that are not text", () =>
    inPlace(async ({ emulator, run }) => {
      const prompt = "video - -m vidmodelv2 --no-wait";
      await run(prompt, { stdin: "A fox,\nat night\n" });
      await run("video 'A fox' --source-image - -m vidmodelv2 --no-wait", { stdin: picture });
      for (const stdin of [Buffer.from("A fox", "utf16le"), Buffer.from([0x41, 0xff])])
        await fails(run(prompt, { stdin }), 2, "prompt: the text is not valid UTF-8");
      await fails(
        run("video A --image - -m vidmodelv2", { stdin: "" }),
        2,
        "--image is not an image file",
      );
      expect(emulator.tasks).toMatchObject([
        { fields: { prompt: "A fox,\r\nat night" } },
        { files: [{ size: picture.length, type: "image/png" }] },
      ]);
    }));

  test("with --extra-field sends a field that is not in the description, and prints why it is retried", () =>
    inPlace(async ({ emulator, run }) => {
      emulator.next({ fault: "rateLimited", on: "generate", retryAfter: "0" });
      const { stderr } = await run(
        "image 'A bicycle' -m imgmodelz --no-wait --extra-field style=a=b",
      );
      expect(emulator.tasks).toMatchObject([{ fields: { style: "a=b" } }]);
      expect(stderr).toMatch(/generateImgmodelz failed \(HTTP 429\); retrying in 0:00\n/);
    }));

  test("with --idempotency-key is billed once, and the same command gets its file again", () =>
    inPlace(async ({ cwd, emulator, run }) => {
      const generate = (key: string) =>
        run(`image 'A bicycle' -m imgmodelz --idempotency-key ${key} -o b.png -q`);
      const done = { code: 0, stdout: "b.png\n", stderr: "" };
      expect(await generate("order-42")).toEqual(done);
      expect(await generate("order-42")).toEqual(done);
      await rm(join(cwd, "b.png"));
      expect(await generate("order-42")).toEqual(done);
      // Its task exists, so that it is not wrong usage.
      await writeFile(join(cwd, "b.png"), "mine");
      expect(await generate("order-42")).toMatchObject({ code: 6, stdout: "" });
      await fails(generate("order-43"), 2, "Nothing was sent.");
      await rm(join(cwd, "b.png"));
      expect(emulator.charges).toHaveLength(1);
      // A key whose form was rejected before it was sent can be used.
      expect([await generate("order-43"), emulator.charges.length]).toEqual([done, 2]);
    }));
});

test("a missing base URL or key is named before anything is sent, with a command that tries it for free", () =>
  inPlace(async ({ cwd, env, emulator, run }) => {
    const { XDG_STATE_HOME = "", XDG_CONFIG_HOME = "", MEDIAGEN_BASE_URL = "" } = env;
    const image = "image 'A bicycle' -m imgmodelz -o b.png";
    for (const [given, says] of [
      [
        {},
        "MEDIAGEN_BASE_URL and MEDIAGEN_API_KEY are not set\n  Nothing was sent. Run mediagen login",
      ],
      [{ MEDIAGEN_BASE_URL }, "MEDIAGEN_API_KEY is not set\n"],
      [{ MEDIAGEN_API_KEY: "k" }, "MEDIAGEN_BASE_URL is not set\n"],
    ] as const)
      for (const line of [image, "batch jobs.jsonl -o jobs", "task show image:a"]) {
        const { code, stderr } = await run(line, {
          env: { XDG_STATE_HOME, XDG_CONFIG_HOME, ...given },
        });
        expect([code, stderr.slice(10)], stderr).toEqual([2, expect.stringContaining(says)]);
        expect(commandsIn(stderr)).toEqual([`mediagen emulator exec -- mediagen ${line}`]);
      }
    expect([emulator.calls, await readdir(cwd)]).toEqual([[], []]);
  }));

describe("--dry-run", () => {
  const line = "video 'A fox\nin snow' -m vidmodelv2 --duration 5 --image first.png --dry-run";

  test("shows the request part by part, and neither sends it nor shows the key", () =>
    inPlace(async ({ cwd, env, emulator, run }) => {
      expect(await run(line)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('first.png" cannot be read'),
      });
      await writeFile(join(cwd, "first.png"), picture);
      const url = `${env["MEDIAGEN_BASE_URL"]}/v1/video/vidmodelv2`;
      const { code, stdout, stderr } = await run(line);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain(
        `POST ${url}\nAuthorization: the key from MEDIAGEN_API_KEY, not shown\n`,
      );
      expect(stdout).toContain(
        `sourceImage.items  first.png (image/png, ${picture.length} bytes)\n`,
      );
      expect(JSON.parse((await run(`${line} --json --idempotency-key order-42`)).stdout)).toEqual({
        method: "POST",
        url,
        key: "from MEDIAGEN_API_KEY",
        parts: [
          { name: "prompt", value: "A fox\r\nin snow" },
          {
            name: "sourceImage.items",
            file: "first.png",
            type: "image/png",
            bytes: picture.length,
          },
          { name: "duration", value: "5" },
        ],
      });
      expect([stdout.includes("emulator-key"), emulator.calls]).toEqual([false, []]);
    }));

  test("needs neither base URL nor key, and takes a size with an x if the model wants an asterisk", () =>
    inPlace(async ({ env: { XDG_CONFIG_HOME = "" }, run }) => {
      const sized = async (model: string, size: string) =>
        (
          await run(`image A -m ${model} --resolution ${size} --dry-run`, {
            env: { XDG_CONFIG_HOME },
          })
        ).stdout;
      expect(await sized("imgmodelz", "1024x768")).toMatch(
        /^POST \$MEDIAGEN_BASE_URL\/v1\/images\/imgmodelz\nAuthorization: none\n[^]*\nresolution {2}1024\*768\n$/,
      );
      expect(await sized("imgmodelv45", "2048x2048")).toMatch(/\nresolution {2}2048x2048\n/);
    }));
});
