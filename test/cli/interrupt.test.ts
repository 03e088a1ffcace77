import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import {
  commandsIn,
  inPlace,
  paste,
  type Place,
  type PlaceOptions,
  spawnOnTerminal,
  fails,
} from "./run-command.ts";

const video = "video 'A fox' -m vidmodelv2 -o fox.mp4";

/** Runs the command that an interrupt has printed. */
async function goOn(output: string, { cwd, env, emulator }: Place): Promise<void> {
  emulator.clock.advance("1h");
  expect(await paste(commandsIn(output).join(), { cwd, env })).toMatchObject({
    code: 0,
    stdout: "fox.mp4\n",
  });
  expect([await readdir(cwd), emulator.charges.length]).toEqual([["fox.mp4"], 1]);
}

describe("Ctrl-C", () => {
  test("before anything is sent ends at once, and says that nothing was billed", () =>
    inPlace(async ({ cwd, env, emulator }) => {
      const run = spawnOnTerminal(["video", "-", "-m", "vidmodelv2"], { cwd, env });
      await run.printed(/reading stdin/);
      run.type("A fox, to be\x03");
      const { code, stdout } = await run.ended;
      expect([code, emulator.calls]).toEqual([130, []]);
      expect(stdout).toMatch(
        /interrupted \(SIGINT\); it created no task, so nothing was billed\r\n {2}Run the command again\.\r\n$/,
      );
    }));

  test("twice during a retry delay ends without another attempt", () =>
    inPlace(async ({ emulator, start }) => {
      emulator.next({ fault: "rateLimited", on: "generate", retryAfter: "50", times: 9 });
      const run = start(video);
      await run.printed(/retrying in/);
      for (let i = 0; i < 2; i++) run.signal("SIGINT");
      await fails(run.ended, 130, "so nothing was billed");
      expect([emulator.calls.length, emulator.charges]).toEqual([1, []]);
    }));

  test("while the form is sent waits for the response, so that the task is not lost", () => {
    const responding = Promise.withResolvers<void>();
    const hold: PlaceOptions["hold"] = async ({ url }, response) => {
      if (url.pathname.endsWith("/vidmodelv2")) await responding.promise;
      return response;
    };
    return inPlace(
      async (place) => {
        const run = place.start(video);
        await expect.poll(() => place.emulator.charges.length).toBe(1);
        run.signal("SIGINT");
        await run.printed(
          /waiting for the response, so that the task is not lost\. Press Ctrl-C again to give up\.\n/,
        );
        responding.resolve();
        const { code, stderr } = await run.ended;
        expect(code).toBe(130);
        await goOn(stderr, place);
      },
      { hold, clock: "manual" },
    );
  });

  test.for(["twice", "or SIGTERM and 8 seconds"])(
    "%s while the form is sent gives up: the outcome is unknown",
    (how) =>
      inPlace(async ({ emulator, start, run }) => {
        emulator.next({ fault: "hang", on: "generate" });
        const generation = start(`${video} --quiet`);
        await expect.poll(() => emulator.charges.length).toBe(1);
        if (how === "twice") for (let i = 0; i < 2; i++) generation.signal("SIGINT");
        else for (const after8s of generation.signal("SIGTERM")) after8s();
        const { code, stderr } = await generation.ended;
        expect([code, stderr]).toEqual([
          5,
          expect.stringContaining("A task may exist and may have been billed"),
        ]);
        // The task exists. A person who finds it at the service can continue with it.
        const { taskid } = emulator.tasks[0] ?? {};
        const [found = ""] = commandsIn(stderr);
        const resolved = await run(
          found.replace("mediagen ", "").replace("TASKID", `video:${taskid}`),
        );
        expect(resolved).toMatchObject({ code: 0, stdout: `video:${taskid}\n` });
      }),
  );

  test.for(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "as %s while waiting prints the command that continues",
    (signal) =>
      inPlace(
        async (place) => {
          const run = place.start(video);
          await run.printed(/pending, status/);
          run.signal(signal);
          const { code, stdout, stderr } = await run.ended;
          expect([code, stdout]).toEqual([130, ""]);
          expect(stderr).toMatch(
            new RegExp(
              `interrupted \\(${signal}\\); video:video-\\w+ is not lost\n  Continue with:\n    .* -o fox.mp4\n$`,
            ),
          );
          await goOn(stderr, place);
        },
        { clock: "manual" },
      ),
  );

  test("with --json and several tasks prints one document, with what was done and what is left", () =>
    inPlace(
      async ({ emulator, start, run }) => {
        const generate = async (prompt: string) =>
          (await run(`image '${prompt}' -m imgmodelv4 --no-wait -q`)).stdout.trim();
        const done = await generate("A bicycle");
        const slow = await generate("A bicycle #slow");
        emulator.clock.advance("4s");
        const download = start(`task download ${done} ${slow} --json`);
        await download.printed(/-1\.png, /);
        download.signal("SIGINT");
        const { code, stdout, stderr } = await download.ended;
        expect([code, JSON.parse(stdout)]).toMatchObject([
          130,
          [
            { task: { kind: "image" }, files: [{}] },
            {
              task: { taskid: slow.slice(6) },
              error: { name: "Interrupted", billed: "yes", exitCode: 130 },
            },
          ],
        ]);
        expect(stderr).toContain(`Continue with:\n    mediagen task download ${slow} -o .\n`);
      },
      { clock: "manual" },
    ));
});
