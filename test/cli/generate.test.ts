import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "vitest";
import { renderPicture } from "../../packages/emulator/src/media/png.ts";
import { commandFile, commandsIn, inPlace, mediagen, paste } from "./run-command.ts";
import { quoted } from "../../packages/cli/src/terminal/shell-commands.ts";

const picture = renderPicture({ width: 64, height: 64, seed: "", text: { title: "", body: "", note: "" } });

describe.concurrent("a generation", () => {
  test("downloads the video to the requested file, and prints only its path", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      await writeFile(join(cwd, "first.png"), picture);
      const run = mediagen(
        [
          "video",
          "A fox runs through snow",
          "--model",
          "vidmodelv2",
          "--duration",
          "5",
          "--image",
          "first.png",
          "--generate-audio=0",
          "-o",
          "fox.mp4",
        ],
        { cwd, env },
      );
      const { code, stdout, stderr } = await run.ended;
      expect([code, stdout]).toEqual([0, "fox.mp4\n"]);
      expect((await readFile(join(cwd, "fox.mp4"))).subarray(4, 8).toString()).toBe("ftyp");
      expect(emulator.tasks).toMatchObject([
        {
          fields: { prompt: "A fox runs through snow", duration: 5, generate_audio: "0" },
          files: [{ part: "sourceImage.items", name: "first.png", type: "image/png", size: picture.length }],
        },
      ]);
      // Lines, without control characters.
      expect(stderr).toMatch(
        /^\d:\d\d sending the form to vidmodelv2\n\d:\d\d the task is video:video-\w+\n[^\r\x1b]*succeeded, status 2: video:video-\w+\n[^\r\x1b]*fox\.mp4, \d+ kB, video\/mp4\n$/,
      );
    }));

  test("of several images downloads them to a directory", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      const { code, stdout } = await mediagen(
        ["image", "A bicycle", "-m", "imgmodelv45", "--batchsize", "4", "-o", "out/", "-q"],
        { cwd, env },
      ).ended;
      const names = await readdir(join(cwd, "out"));
      expect([code, names.length, stdout]).toEqual([0, 4, names.map((name) => `out/${name}\n`).join("")]);
    }));

  test("with --no-wait ends once the task is created, and prints it as other commands accept it", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      const { code, stdout } = await mediagen(["video", "A fox", "-m", "vidmodelv15pro", "--no-wait"], { cwd, env })
        .ended;
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^video:video-\w+\n$/)]);
      expect(await mediagen(["task", "download", stdout.trim(), "-o", "later.mp4"], { cwd, env }).ended).toMatchObject({
        code: 0,
        stdout: "later.mp4\n",
      });
    }));

  test("reads the prompt or a file from stdin", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      const args = ["-m", "vidmodelv2", "--no-wait"];
      await mediagen(["video", "-", ...args], { cwd, env, stdin: "A fox,\nat night\n" }).ended;
      await mediagen(["video", "A fox", "--source-image", "-", ...args], { cwd, env, stdin: picture }).ended;
      expect(emulator.tasks).toMatchObject([
        { fields: { prompt: "A fox,\r\nat night" } },
        { files: [{ size: picture.length, type: "image/png" }] },
      ]);
    }));

  test("rejects a prompt from stdin that is not text", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      const utf16 = Buffer.from("A fox", "utf16le");
      for (const stdin of [utf16, Buffer.from([0x41, 0xff])])
        expect(await mediagen(["video", "-", "-m", "vidmodelv2"], { cwd, env, stdin }).ended).toMatchObject({
          code: 2,
          stderr: expect.stringContaining("prompt: the text is not valid UTF-8"),
        });
      expect(emulator.calls).toEqual([]);
    }));

  test("with --extra-field sends a field that is not in the description", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      await mediagen(["image", "A bicycle", "-m", "imgmodelz", "--no-wait", "--extra-field", "style=a=b"], { cwd, env })
        .ended;
      expect(emulator.tasks).toMatchObject([{ fields: { style: "a=b" } }]);
    }));

  test("prints why it is retried", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      emulator.next({ fault: "rateLimited", on: "generate", retryAfter: "0" });
      const { code, stderr } = await mediagen(["image", "A bicycle", "-m", "imgmodelz", "--no-wait"], { cwd, env })
        .ended;
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/generateImgmodelz failed \(HTTP 429\); retrying in 0:00\n/),
      ]);
    }));

  test("says what happened between its attempts, without names of classes", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      const run = mediagen(["image", "A bicycle", "-m", "imgmodelz", "--base-url", "http://127.0.0.1:9"], { cwd, env });
      const { stderr } = await run.ended;
      expect(stderr).toMatch(/generateImgmodelz failed \(nothing was sent \(connect ECONNREFUSED /);
      expect(stderr).not.toContain("Error");
    }));

  test("with --idempotency-key is billed once, and the same command again finds its file or gets it again", ({
    expect,
  }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      const run = (key: string) =>
        mediagen(["image", "A bicycle", "-m", "imgmodelz", "--idempotency-key", key, "-o", "b.png", "-q"], {
          cwd,
          env,
        }).ended;
      const done = { code: 0, stdout: "b.png\n", stderr: "" };
      const namesInStore = () => readdir(env["XDG_STATE_HOME"] ?? "", { recursive: true });
      expect(await run("order-42")).toEqual(done);
      const names = await namesInStore();
      expect([await run("order-42"), await namesInStore()]).toEqual([done, names]);
      await rm(join(cwd, "b.png"));
      expect(await run("order-42")).toEqual(done);
      // Its task exists, so that it is not wrong usage.
      await writeFile(join(cwd, "b.png"), "mine");
      expect(await run("order-42")).toMatchObject({ code: 6, stdout: "" });
      expect(await run("order-43")).toMatchObject({ code: 2, stderr: expect.stringContaining("Nothing was sent.") });
      await rm(join(cwd, "b.png"));
      expect(emulator.charges).toHaveLength(1);
      // What was rejected before it was sent does not spoil its key.
      expect([await run("order-43"), emulator.charges.length]).toEqual([done, 2]);
    }));
});

describe.concurrent("the key", () => {
  test("may come from a file descriptor, which takes precedence over the environment", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      const wrong = { ...env, MEDIAGEN_API_KEY: "wrong" };
      const args = ["image", "A bicycle", "-m", "imgmodelz", "-o", "b.png"];
      expect((await mediagen(args, { cwd, env: wrong }).ended).code).toBe(1);
      expect(
        await mediagen([...args, "--key-fd", "3"], { cwd, env: wrong, fd3: "emulator-key\n" }).ended,
      ).toMatchObject({ code: 0, stdout: "b.png\n" });
    }));

  test("or the base URL that is missing is named once, before anything is sent, with a way to try the command", ({
    expect,
  }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      const { XDG_STATE_HOME = "" } = env;
      const args = ["image", "A bicycle", "-m", "imgmodelz"];
      for (const [given, says] of [
        [
          {},
          "MEDIAGEN_BASE_URL and MEDIAGEN_API_KEY are not set\n  Nothing was sent. Set them, or pass --base-url and --key-fd.",
        ],
        [
          { MEDIAGEN_BASE_URL: env["MEDIAGEN_BASE_URL"] ?? "" },
          "MEDIAGEN_API_KEY is not set\n  Nothing was sent. Set it, or pass --key-fd.",
        ],
        [{ MEDIAGEN_API_KEY: "k" }, "MEDIAGEN_BASE_URL is not set\n  Nothing was sent. Set it, or pass --base-url."],
      ] as const)
        for (const command of [args, ["batch", "jobs.jsonl", "-o", "jobs"], ["task", "show", "image:a"]]) {
          const { code, stderr } = await mediagen(command, { cwd, env: { XDG_STATE_HOME, ...given } }).ended;
          expect([code, stderr.slice(10)], stderr).toEqual([2, expect.stringContaining(says)]);
          expect(commandsIn(stderr)).toEqual([`mediagen emulator exec -- mediagen ${command.map(quoted).join(" ")}`]);
        }
      expect([emulator.calls, await readdir(cwd)]).toEqual([[], []]);
      // The printed command works, with nothing set.
      const { stderr } = await mediagen([...args, "-o", "b.png"], { cwd, env: { XDG_STATE_HOME } }).ended;
      await writeFile(join(cwd, "mediagen"), `#!/bin/sh\nexec '${process.execPath}' '${commandFile}' "$@"\n`);
      await chmod(join(cwd, "mediagen"), 0o755);
      const inPath = { XDG_STATE_HOME, PATH: `${cwd}:${process.env["PATH"]}` };
      const tried = await paste(commandsIn(stderr).join().replace("exec --", "--speed 50 --port 0 exec --"), {
        cwd,
        env: inPath,
      });
      expect([tried.code, tried.stdout]).toEqual([0, "b.png\n"]);
    }));

  test.for([
    ["--key-fd", "3"],
    ["--key-fd", "9"],
    ["--key", "emulator-key"],
    ["--api-key", "emulator-key"],
  ])("%s %s without one is wrong usage", (args, { expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      const { code, stderr } = await mediagen(["image", "A bicycle", "-m", "imgmodelz", ...args], { cwd, env, fd3: "" })
        .ended;
      expect([code, stderr.trim().split("\n").length, emulator.calls]).toEqual([2, 2, []]);
    }),
  );
});

describe.concurrent("--dry-run", () => {
  const args = ["video", "A fox\nin snow", "-m", "vidmodelv2", "--duration", "5", "--image", "first.png", "--dry-run"];

  test("shows the request part by part, and neither sends it nor shows the key", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      await writeFile(join(cwd, "first.png"), picture);
      const { code, stdout, stderr } = await mediagen(args, { cwd, env }).ended;
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain(
        `POST ${env["MEDIAGEN_BASE_URL"]}/v1/video/vidmodelv2\nAuthorization: the key from MEDIAGEN_API_KEY, not shown\n`,
      );
      expect(stdout).toContain(`sourceImage.items  first.png (image/png, ${picture.length} bytes)\n`);
      const { stdout: json } = await mediagen([...args, "--json", "--idempotency-key", "order-42", "--key-fd", "3"], {
        cwd,
        env,
        fd3: "sk-secret",
      }).ended;
      expect(JSON.parse(json)).toEqual({
        method: "POST",
        url: `${env["MEDIAGEN_BASE_URL"]}/v1/video/vidmodelv2`,
        key: "from file descriptor 3",
        parts: [
          { name: "prompt", value: "A fox\r\nin snow" },
          { name: "sourceImage.items", file: "first.png", type: "image/png", bytes: picture.length },
          { name: "duration", value: "5" },
        ],
      });
      expect(stdout + json).not.toMatch(/sk-secret|emulator-key/);
      expect(emulator.calls).toEqual([]);
    }));

  test("needs neither base URL nor key, and takes a size with an x where the model wants an asterisk", async ({
    expect,
  }) => {
    const sized = ["image", "A fox", "-m", "imgmodelz", "--resolution", "1024x768", "--dry-run"];
    const { code, stdout } = await mediagen(sized).ended;
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^POST \$MEDIAGEN_BASE_URL\/v1\/images\/imgmodelz\nAuthorization: none\n[^]*\nresolution {2}1024\*768\n$/,
      ),
    ]);
    // This model wants the x.
    const other = ["image", "A fox", "-m", "imgmodelv45", "--resolution", "2048x2048", "--dry-run"];
    expect((await mediagen(other).ended).stdout).toMatch(/\nresolution {2}2048x2048\n/);
  });

  test("rejects an invalid form", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      expect(await mediagen(args, { cwd, env }).ended).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining('first.png" cannot be read'),
      });
    }));
});
