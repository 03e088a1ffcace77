import { describe, test } from "vitest";
import { inPlace, mediagenOnTerminal } from "./run-command.ts";

const image = ["image", "A bicycle", "-m", "imgmodelv4", "-o", "b.png"];

/** The lines that stay when a terminal has done what it was told, of what writes over one line at most. */
function onScreen(written: string): readonly string[] {
  return written.split("\r\n").map((line) => line.split("\r\x1b[K").at(-1) ?? "");
}

describe.concurrent("on a terminal", () => {
  test("progress is one live line with time, state and status, and is removed at the end", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      const { code, stdout } = await mediagenOnTerminal(image, { cwd, env }).ended;
      expect(code).toBe(0);
      expect(stdout).toMatch(/\r\x1b\[K\x1b\[2m0:0\d\x1b\[0m succeeded, status 2: image:image-\w+\r\x1b\[K/);
      expect(onScreen(stdout)).toEqual([
        expect.stringMatching(/^\S+0:\d\d\S+ the task is image:image-\w+$/),
        expect.stringMatching(/^\S+0:\d\d\S+ image:image-\w+ b\.png, \d+ kB, image\/png$/),
        "b.png",
        "",
      ]);
    }));

  test("it shows the time while nothing happens", ({ expect }) =>
    inPlace(
      async ({ cwd, env }) => {
        const run = mediagenOnTerminal(image, { cwd, env });
        await run.printed(/(0:\d\d)\S+ (?:waiting|pending)[^]*(?!\1)0:\d\d\S+ (?:waiting|pending)/);
        run.child.stdin?.write("\x03");
        expect((await run.ended).code).toBe(130);
      },
      { clock: "manual" },
    ));

  test("the live line is cut to the width of the terminal, and lines that stay are complete", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      const { stdout } = await mediagenOnTerminal(image, { cwd, env }, 24).ended;
      const drawn = stdout.split(/\r\x1b\[K|\r\n/).map((line) => line.replace(/\x1b\[\dm/g, ""));
      expect(drawn).toContainEqual(expect.stringMatching(/^0:0\d (pending|succeeded), status $/));
      expect(drawn.filter((line) => line.length >= 24)).toEqual([
        expect.stringContaining("the task is image:image-"),
        expect.stringContaining("b.png, "),
      ]);
    }));

  test.for([
    ["NO_COLOR", { NO_COLOR: "1" }, /\r\x1b\[K0:0\d succeeded, status 2: image:/, /\x1b\[\dm/],
    ["a dumb terminal", { TERM: "dumb" }, /^0:0\d succeeded, status 2: image:image-\w+\r$/m, /\x1b/],
  ] as const)("with %s there are no colours", ([, setting, shown, not], { expect }) =>
    inPlace(async ({ cwd, env }) => {
      const { stdout } = await mediagenOnTerminal(image, { cwd, env: { ...env, ...setting } }).ended;
      expect(stdout).toMatch(shown);
      expect(stdout).not.toMatch(not);
    }),
  );

  test("a table keeps its lines, and a result cannot control the terminal", async ({ expect }) => {
    expect((await mediagenOnTerminal(["models"]).ended).stdout).toMatch(
      /^MODEL +KIND +WHAT IT DOES\r\nvidmodelv2 +video /,
    );
    await inPlace(async ({ cwd, env }) => {
      const { stdout } = await mediagenOnTerminal(["video", "A \x1b[2J fox", "-m", "vidmodelv2", "--dry-run"], {
        cwd,
        env,
      }).ended;
      expect(stdout).toContain("prompt  A ?[2J fox\r\n");
    });
  });

  test("with --quiet it prints only the result", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      expect(await mediagenOnTerminal([...image, "--quiet"], { cwd, env }).ended).toMatchObject({
        code: 0,
        stdout: "b.png\r\n",
      });
    }));
});
