import { readdir, readFile, stat, utimes } from "node:fs/promises";
import { describe, test, type ExpectStatic } from "vitest";
import {
  commandsIn,
  inPlace,
  mediagen,
  mediagenOnTerminal,
  paste,
  type Place,
  type PlaceOptions,
  type Run,
} from "./run-command.ts";

/** What Ctrl-C sends when it is typed. */
const ctrlC = "\x03";
const video = ["video", "A fox", "-m", "vidmodelv2", "-o", "fox.mp4"];

/** Runs the command that an interrupt printed, as its reader would. */
async function goOn(expect: ExpectStatic, output: string, { cwd, env, emulator }: Place): Promise<void> {
  emulator.clock.advance("1h");
  const resumed = await paste(commandsIn(output).join(), { cwd, env });
  expect(resumed).toMatchObject({ code: 0, stdout: "fox.mp4\n" });
  expect(await readdir(cwd)).toEqual(["fox.mp4"]);
  expect(emulator.charges).toHaveLength(1);
}

describe.concurrent("Ctrl-C", () => {
  test("before anything is sent ends at once, and says that nothing was billed", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      const run = mediagenOnTerminal(["video", "-", "-m", "vidmodelv2"], { cwd, env });
      await run.printed(/reading stdin/);
      run.child.stdin?.write(`A fox, to be${ctrlC}`);
      const { code, stdout } = await run.ended;
      expect([code, stdout]).toEqual([
        130,
        expect.stringMatching(
          /interrupted \(SIGINT\); it created no task, so nothing was billed\r\n {2}Run the command again\.\r\n$/,
        ),
      ]);
      expect(emulator.calls).toEqual([]);
    }));

  test("twice during a retry delay ends without another attempt", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      emulator.next({ fault: "rateLimited", on: "generate", retryAfter: "50", times: 9 });
      const run = mediagenOnTerminal(video, { cwd, env });
      await expect.poll(() => emulator.calls.length).toBe(1);
      await twice(run);
      expect(await run.ended).toMatchObject({
        code: 130,
        stdout: expect.stringContaining("it created no task, so nothing was billed"),
      });
      expect([emulator.calls.length, emulator.charges]).toEqual([1, []]);
    }));

  test("while the form is sent waits for the response, so that the task is not lost", ({ expect }) => {
    const answering = Promise.withResolvers<void>();
    const hold: PlaceOptions["hold"] = async ({ url }, answer) => {
      if (url.pathname.endsWith("/vidmodelv2")) await answering.promise;
      return answer;
    };
    return inPlace(
      async (place) => {
        const { cwd, env, emulator } = place;
        const run = mediagenOnTerminal(video, { cwd, env });
        await run.printed(/sending the form/);
        await expect.poll(() => emulator.charges.length).toBe(1);
        run.child.stdin?.write(ctrlC);
        await run.printed(
          /waiting for the response, so that the task is not lost\. Press Ctrl-C again to give up\.\r\n/,
        );
        answering.resolve();
        const { code, stdout } = await run.ended;
        expect(code).toBe(130);
        await goOn(expect, stdout, place);
      },
      { hold, clock: "manual" },
    );
  });

  test("twice while the form is sent gives up, and says that the outcome is unknown", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      emulator.next({ fault: "hang", on: "generate" });
      const run = mediagenOnTerminal([...video, "--quiet"], { cwd, env });
      await expect.poll(() => emulator.charges.length).toBe(1);
      await twice(run);
      const { code, stdout } = await run.ended;
      expect(code).toBe(5);
      expect(stdout).toMatch(/A task may exist and may have been billed, so it was not retried\.\r\n/);
      // The task exists, and can be resumed by whoever finds it at the service.
      const { taskid } = emulator.tasks[0] ?? { taskid: "" };
      const [found = ""] = commandsIn(stdout);
      const settled = await paste(found.replace("TASKID", `video:${taskid}`), { cwd, env });
      expect(settled).toMatchObject({ code: 0, stdout: `video:${taskid}\n` });
    }));

  test("while waiting prints the task and the command that goes on", ({ expect }) =>
    inPlace(
      async (place) => {
        const { cwd, env } = place;
        const run = mediagenOnTerminal(video, { cwd, env });
        await run.printed(/pending, status/);
        run.child.stdin?.write(ctrlC);
        const { code, stdout } = await run.ended;
        expect(code).toBe(130);
        expect(stdout).toMatch(
          /interrupted \(SIGINT\); video:video-\w+ is not lost\r\n {2}Continue with:\r\n {4}mediagen task download video:video-\w+ -o fox\.mp4\r\n$/,
        );
        await goOn(expect, stdout, place);
      },
      { clock: "manual" },
    ));

  test("while downloading keeps the results that are complete and nothing else; the printed command gets the rest", ({
    expect,
  }) => {
    const { hold } = holdSecond();
    return inPlace(
      async ({ cwd, env, emulator }) => {
        const run = mediagenOnTerminal(images, { cwd, env });
        await run.printed(/downloading 2 of 2, (49|50) %/);
        expect((await readdir(`${cwd}/a b`)).sort()).toEqual([
          expect.stringMatching(/^\..*\.part$/),
          expect.stringMatching(/-1\.png$/),
        ]);
        run.child.stdin?.write(ctrlC);
        const { code, stdout } = await run.ended;
        const kept = await readdir(`${cwd}/a b`);
        expect([code, kept]).toEqual([130, [expect.stringMatching(/-1\.png$/)]]);
        const before = await stat(`${cwd}/a b/${kept[0]}`);
        const resumed = await paste(commandsIn(stdout).join(), { cwd, env });
        expect([resumed.code, resumed.stdout.match(/-\d\.png$/gm)]).toEqual([0, ["-1.png", "-2.png"]]);
        expect((await stat(`${cwd}/a b/${kept[0]}`)).ino).toBe(before.ino);
        expect(emulator.charges).toHaveLength(1);
      },
      { hold },
    );
  });

  test("is not needed: after kill -9 the commands that recover prints get the results, and remove what it left", ({
    expect,
  }) => {
    const { hold } = holdSecond();
    return inPlace(
      async ({ cwd, env, emulator }) => {
        const stored = { cwd, env };
        const run = mediagenOnTerminal([...images.slice(0, -1), ".", "--store", "a store"], stored);
        await run.printed(/downloading 2 of 2, (49|50) %/);
        // Not the terminal that it runs on.
        const part = (await readdir(cwd)).find((name) => name.endsWith(".part")) ?? "";
        const { pid } = run.child;
        process.kill(Number(await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")), "SIGKILL");
        await run.ended;
        expect(await readdir(cwd)).toContain(part);
        await utimes(`${cwd}/${part}`, 0, 0); // Hours later.
        const left = await mediagen(["recover", "--store", "a store"], stored).ended;
        const [download = ""] = commandsIn(left.stderr);
        const resumed = await paste(download, stored);
        expect([resumed.code, resumed.stdout.match(/-\d\.png$/gm)]).toEqual([0, ["-1.png", "-2.png"]]);
        expect((await readdir(cwd)).filter((name) => name !== "a store")).toHaveLength(2);
        expect(emulator.charges).toHaveLength(1);
      },
      { hold },
    );
  });

  test.for(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "as %s to a script's command does the same",
    (signal, { expect }) =>
      inPlace(
        async (place) => {
          const { cwd, env } = place;
          const run = mediagen(video, { cwd, env });
          await run.printed(/pending, status/);
          run.child.kill(signal);
          const { code, stdout, stderr } = await run.ended;
          expect([code, stdout]).toEqual([130, ""]);
          expect(stderr).toContain(`interrupted (${signal})`);
          await goOn(expect, stderr, place);
        },
        { clock: "manual" },
      ),
  );

  test("with --json and several tasks still prints one document, with what was done and what is left", ({ expect }) =>
    inPlace(
      async ({ cwd, env, emulator }) => {
        const generate = async (prompt: string) =>
          (await mediagen(["image", prompt, "-m", "imgmodelv4", "--no-wait", "-q"], { cwd, env }).ended).stdout.trim();
        const [done, slow] = [await generate("A bicycle"), await generate("A bicycle #slow")];
        emulator.clock.advance("4s");
        const run = mediagen(["task", "download", done, slow, "--json"], { cwd, env });
        await run.printed(/-1\.png, /);
        run.child.kill("SIGINT");
        const { code, stdout, stderr } = await run.ended;
        expect([code, JSON.parse(stdout)]).toMatchObject([
          130,
          [
            { task: { kind: "image" }, files: [{}] },
            { task: { taskid: slow.slice(6) }, error: { name: "Interrupted", billed: "yes", exitCode: 130 } },
          ],
        ]);
        expect(stderr).toContain(`Continue with:\n    mediagen task download ${slow} -o .\n`);
      },
      { clock: "manual" },
    ));

  test("prints the results and options that the next command needs, quoted for a shell", ({ expect }) =>
    inPlace(
      async ({ cwd, env }) => {
        const run = mediagen(
          [
            "image",
            "A fox",
            "-m",
            "imgmodelv4",
            "--batchsize",
            "3",
            "-o",
            "a b/",
            "--failed-status",
            "7",
            "--key-fd",
            "3",
          ],
          { cwd, env, fd3: "emulator-key\n" },
        );
        await run.printed(/pending, status/);
        run.child.kill("SIGINT");
        expect((await run.ended).stderr).toMatch(
          /Continue with:\n {4}mediagen task download image:image-\w+ --results 3 -o 'a b\/' --key-fd 3 --failed-status 7\n$/,
        );
      },
      { clock: "manual" },
    ));
});

const images = ["image", "A bicycle", "-m", "imgmodelv4", "--batchsize", "2", "-o", "a b"];

/** Holds up the second result once: half of it comes, and then nothing. */
function holdSecond(): Required<Pick<PlaceOptions, "hold">> {
  let results = 0;
  return {
    async hold({ url }, answer) {
      if (!url.pathname.endsWith(".png") || ++results !== 2 || !(answer.body instanceof Uint8Array)) return answer;
      const half = answer.body.subarray(0, answer.body.length / 2);
      return {
        ...answer,
        headers: { ...answer.headers, "content-length": String(answer.body.length) },
        body: new ReadableStream({ start: (controller) => controller.enqueue(half) }),
      };
    },
  };
}

/** Presses Ctrl-C twice, the second time once the first has been noticed. */
async function twice(run: Run): Promise<void> {
  run.child.stdin?.write(ctrlC);
  await run.printed(/Press Ctrl-C again to give up/);
  run.child.stdin?.write(ctrlC);
}
