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
      expect(stdout).toMatch(/\r\x1b\[K\x1b\[2m0:0\d\x1b\[0m image:image-\w+ succeeded, status 2\r\x1b\[K/);
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
        await run.printed(/(0:\d\d)\S+ (?:waiting|image:\S+ pending)[^]*(?!\1)0:\d\d\S+ (?:waiting|image:\S+ pending)/);
        run.child.stdin?.write("\x03");
        expect((await run.ended).code).toBe(130);
      },
      { clock: "manual" },
    ));

  test("the live line is cut to the width of the terminal, and lines that stay are complete", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      const { stdout } = await mediagenOnTerminal(image, { cwd, env }, 24).ended;
      const drawn = stdout.split(/\r\x1b\[K|\r\n/).map((line) => line.replace(/\x1b\[\dm/g, ""));
      expect(drawn).toContainEqual(expect.stringMatching(/^0:0\d image:image-\w+$/));
      expect(drawn.filter((line) => line.length >= 24)).toEqual([
        expect.stringContaining("the task is image:image-"),
        expect.stringContaining("b.png, "),
      ]);
    }));

  test.for([
    ["NO_COLOR", { NO_COLOR: "1" }, /\r\x1b\[K0:0\d image:image-\w+ succeeded/, /\x1b\[\dm/],
    ["a dumb terminal", { TERM: "dumb" }, /^0:0\d image:image-\w+ succeeded, status 2\r$/m, /\x1b/],
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

describe.concurrent("--preview", () => {
  /** What the pieces of a picture come to. */
  const decoded = (pieces: Iterable<RegExpExecArray>) =>
    Buffer.from([...pieces].map(([, data]) => data).join(""), "base64");
  const png = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

  test("shows pictures by the protocol of kitty: in pieces, the last one marked", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      const { stdout } = await mediagenOnTerminal([...image, "--preview"], {
        cwd,
        env: { ...env, TERM: "xterm-kitty" },
      }).ended;
      const pieces = [...stdout.matchAll(/\x1b_G(?:a=T,f=100,r=\d+,)?m=[01];([^\x1b]{1,4096})\x1b\\/g)];
      expect(pieces.map(([piece]) => /m=(\d)/.exec(piece)?.[1]).join("")).toMatch(/^1*0$/);
      expect(decoded(pieces).subarray(0, 8)).toEqual(png);
    }));

  test("shows pictures by the protocol of iTerm2", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      const { stdout } = await mediagenOnTerminal([...image, "--preview"], {
        cwd,
        env: { ...env, TERM_PROGRAM: "iTerm.app" },
      }).ended;
      expect(
        decoded(stdout.matchAll(/\x1b\]1337;File=inline=1;size=\d+;height=\d+:([^\x07]+)\x07/g)).subarray(0, 8),
      ).toEqual(png);
    }));

  test.for<[string, Readonly<Record<string, string>>, readonly string[], string]>([
    [
      "a terminal that is not known to show any",
      {},
      image,
      "no preview of b.png: this terminal is not known to show pictures",
    ],
    [
      "a multiplexer, which would keep it to itself",
      { TERM: "xterm-kitty", TMUX: "/tmp/x" },
      image,
      "no preview of b.png: this terminal is not known to show pictures",
    ],
    [
      "a clip",
      { TERM: "xterm-kitty" },
      ["video", "A fox", "-m", "vidmodelv2", "-o", "b.mp4"],
      "no preview of b.mp4: it does not show video/mp4",
    ],
  ])("says so at %s", ([, setting, args, says], { expect }) =>
    inPlace(async ({ cwd, env }) => {
      const { code, stdout } = await mediagenOnTerminal([...args, "--preview"], { cwd, env: { ...env, ...setting } })
        .ended;
      expect([code, stdout]).toEqual([0, expect.stringContaining(says)]);
      expect(stdout).not.toMatch(/\x1b[_\]]/);
    }),
  );
});
