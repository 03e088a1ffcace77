import { describe, expect, test } from "vitest";
import { inPlace, spawnOnTerminal } from "./run-command.ts";

const image = "image 'A bicycle' -m imgmodelv4 -o b.png";
const columns = 100;

describe("on a terminal", () => {
  test("progress is one live line with time, state and status, which is removed at the end", () =>
    inPlace(async ({ cwd, env }) => {
      const run = spawnOnTerminal(["image", "A fox", "-m", "imgmodelv4", "-o", "b.png"], {
        cwd,
        env,
      });
      const { code, stdout } = await run.ended;
      const steps =
        "\r\x1b\\[K0:0\\d succeeded, status 2: image:image-\\w+\r\x1b\\[K[^\n]*\r\x1b\\[K0:\\d\\d image:image-\\w+ b.png, .*\r\nb.png\r\n$";
      expect([code, stdout]).toEqual([0, expect.stringMatching(steps)]);
    }));

  test("a dumb one has no live line", () =>
    inPlace(async ({ env, run }) => {
      const { stdout } = await run(image, { columns, env: { ...env, TERM: "dumb" } });
      expect([stdout.includes("succeeded, status 2"), stdout.includes("\x1b")]).toEqual([
        true,
        false,
      ]);
    }));

  test("a table keeps its lines, and a result cannot control the terminal", () =>
    inPlace(async ({ run }) => {
      expect((await run("models", { columns })).stdout).toMatch(
        /^MODEL +KIND\nvidmodelv2 +video\n/,
      );
      const { stdout } = await run("video 'A \x1b[2J fox' -m vidmodelv2 --dry-run", { columns });
      expect(stdout).toContain("prompt  A ?[2J fox\n");
    }));
});
