import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileStore, type GenerationEntry } from "@mediagen/sdk/node";
import { expect, test } from "vitest";
import { commandsIn, generate, inPlace, fails } from "./run-command.ts";

const video = "vidmodelv2";
const image = "imgmodelv4";
const generateImage = `image A -m ${image} -q`;
const unknownIn = (stdout: string) =>
  [...stdout.matchAll(/^unknown\t(\S+)/gm)].map(([, id = ""]) => id);
const attemptsIn = (stdout: string) =>
  [...stdout.matchAll(/^unknown\t.*\t(\S+)$/gm)].map(([, attempt = ""]) => attempt);

test("recover lists what is left, and ends with 5 if an outcome is unknown", () =>
  inPlace(async (place) => {
    const { emulator, run } = place;
    const task = await generate(place, video);
    expect(await run("recover")).toMatchObject({
      code: 0,
      stdout: `resume\t${task}\tvidmodelv2\n`,
      stderr: "download the results:\n    mediagen recover -o .\n",
    });
    emulator.next({ fault: "resetAfter", on: "generate" });
    await run(generateImage);
    const { code, stdout, stderr } = await run("recover");
    expect([code, stdout]).toEqual([
      5,
      expect.stringMatching(
        `^resume\t${task}\tvidmodelv2\nunknown\t[\\w-]+\timgmodelv4\t\\d{4}-\\S+Z\t[^\\t]+\t[\\w-]+\n$`,
      ),
    ]);
    expect(commandsIn(stderr)).toEqual([
      "mediagen recover -o .",
      ...["--taskid TASKID", "--not-created"].map(
        (outcome) =>
          `mediagen recover --resolve ${unknownIn(stdout)} --attempt ${attemptsIn(stdout)} ${outcome}`,
      ),
    ]);
  }));

test("recover -o downloads what is left, takes no other file for it, and does not list it again", () =>
  inPlace(async (place) => {
    const { cwd, env, run } = place;
    await generate(place, video);
    const [, id = ""] = (await generate(place, image, { batchsize: 2 })).split(":");
    // It has ended, and nothing of it was downloaded: these are files of tasks with longer ids.
    await run(`task wait image:${id} -q`);
    await mkdir(join(cwd, "out"));
    for (const name of [`${id}-1-1.png`, `${id}-2-1.png`])
      await writeFile(join(cwd, "out", name), "other");
    const first = await run("recover -o out -q");
    const paths = first.stdout.trim().split("\n").sort();
    const saved = [`out/${id}-1.png`, `out/${id}-2.png`];
    expect([first.code, paths]).toEqual([
      0,
      [...saved, expect.stringMatching(/^out\/video-\w+-1\.mp4$/)],
    ]);
    // A missing result is downloaded again, and the other one stays as it is.
    const { ino } = await stat(join(cwd, saved[0] ?? ""));
    await rm(join(cwd, saved[1] ?? ""));
    expect((await run(`task download ${id} -o out -q`)).stdout.trim().split("\n")).toEqual(saved);
    expect([
      (await readdir(join(cwd, "out"))).length,
      (await stat(join(cwd, saved[0] ?? ""))).ino,
    ]).toEqual([5, ino]);
    expect(await run("recover")).toEqual({
      code: 0,
      stdout: "",
      stderr: `nothing is left to do in the store ${env["XDG_STATE_HOME"]}/mediagen\n`,
    });
  }));

test("recover lists what could not be saved, and rejects a directory that is no store", () =>
  inPlace(async (place) => {
    const { cwd, emulator, run } = place;
    const task = await generate(place, image);
    await mkdir(join(cwd, "out"));
    await writeFile(join(cwd, "out", `${task.split(":")[1]}-1.png`), "other");
    expect((await run("recover -o out -q")).code).toBe(6);
    expect((await run("recover -q")).stdout).toBe(`finished\t${task}\timgmodelv4\n`);
    const says = "--store out: this directory is not a store";
    await fails(run("recover --store out"), 2, new RegExp(`${says}\n.* is DIR/generations\\.\n$`));
    // An unknown outcome is reported with --quiet too, and if something else cannot be saved.
    emulator.next({ fault: "resetAfter", on: "generate" });
    await run(generateImage);
    const { code, stderr } = await run("recover -o out -q");
    expect([code, commandsIn(stderr).length]).toEqual([5, 3]);
    expect(stderr).toContain("could not be saved");
  }));

test("recover names what is left at another base URL", () =>
  inPlace(async ({ env, run }) => {
    const { stdout: task } = await run(`image A -m ${image} --store jobs --no-wait -q`);
    const other = { env: { ...env, MEDIAGEN_BASE_URL: "http://127.0.0.1:9" } };
    const { code, stdout, stderr } = await run("recover -q --store jobs", other);
    expect([code, stdout, stderr]).toEqual([
      0,
      "",
      expect.stringMatching(/also has generations left at http:\S+\./),
    ]);
    const [command = ""] = commandsIn(stderr);
    expect((await run(command.replace("mediagen ", ""), other)).stdout).toBe(
      `resume\t${task.trim()}\timgmodelv4\n`,
    );
  }));

test("recover --resolve records the task of an unknown generation, or that there is none", () =>
  inPlace(async ({ emulator, run }) => {
    emulator.next({ fault: "html", on: "generate", times: 2 });
    for (let i = 0; i < 2; i++) await run(generateImage);
    const { stdout } = await run("recover -q");
    const [one, other] = unknownIn(stdout);
    const [, attempt] = attemptsIn(stdout);
    const { taskid } = emulator.tasks[0] ?? {};
    for (const wrong of ["", `--taskid ${taskid} --not-created`])
      await fails(
        run(`recover --resolve ${one} ${wrong}`),
        2,
        "--taskid ID of the task that you found, or --not-created",
      );
    const found = await run(`recover --resolve ${one} --taskid image:${taskid}`);
    expect(found).toMatchObject({ code: 0, stdout: `image:${taskid}\n` });
    const none = `recover --resolve ${other} --not-created`;
    await fails(run(none), 2, "--not-created needs the attempt that you looked for");
    expect(await run(`${none} --attempt ${attempt}`)).toMatchObject({ code: 0, stdout: "" });
    expect(await run("recover -q")).toMatchObject({
      code: 0,
      stdout: `resume\timage:${taskid}\timgmodelv4\n`,
    });
    await fails(
      run("recover --resolve other --attempt a0 --not-created"),
      2,
      "--resolve other: the store has no such generation",
    );
  }));

test("recover --resolve --not-created is about the attempt that was printed, not about a later one", () =>
  inPlace(async ({ emulator, run }) => {
    const order = `${generateImage} --idempotency-key order-42`;
    emulator.next({ fault: "resetBefore", on: "generate" });
    await run(order);
    const { stdout } = await run("recover -q");
    const command = `recover --resolve ${unknownIn(stdout)} --attempt ${attemptsIn(stdout)} --not-created`;
    expect(await run(command)).toMatchObject({ code: 0 });
    emulator.next({ fault: "resetAfter", on: "generate" });
    expect(await run(order)).toMatchObject({ code: 5 });
    // A second person has looked at the same time as the first one.
    await fails(run(command), 2, "is not the last attempt");
    expect(await run(order)).toMatchObject({ code: 5 });
    expect(emulator.charges).toHaveLength(1);
  }));

test("recover --resolve rejects a task that the service does not know, unless it is --unverified", () =>
  inPlace(async (place) => {
    const { emulator, run } = place;
    emulator.next({ fault: "html", on: "generate" });
    await run(generateImage);
    const [id] = unknownIn((await run("recover -q")).stdout);
    const resolve = (outcome: string) => run(`recover --resolve ${id} ${outcome}`);
    await fails(
      resolve("--taskid gone"),
      2,
      /--taskid "gone" is not known to the service\..*--unverified .*\n {2}Nothing was recorded\./,
    );
    // A person who believed that there is no task would pay again.
    emulator.next({ fault: "insufficientCredits", on: "query" });
    const { taskid = "" } = emulator.tasks[0] ?? {};
    await fails(
      resolve(`--taskid ${taskid}`),
      3,
      /it is still unknown whether the task exists\. Add credits, /,
    );
    expect(await resolve("--taskid gone --unverified")).toMatchObject({
      code: 0,
      stdout: "image:gone\n",
    });
    await fails(resolve("--taskid video:gone --unverified"), 2, "pass image:ID");
    // A wrong task can be corrected.
    expect(await resolve(`--taskid ${taskid}`)).toMatchObject({
      code: 0,
      stdout: `image:${taskid}\n`,
    });
  }));

test("recover lists entries that cannot be read, and ends with 5, because each may be a paid task", () =>
  inPlace(async (place) => {
    await generate(place, video);
    const store = join(place.env["XDG_STATE_HOME"] ?? "", "mediagen");
    for (const file of await readdir(store, { recursive: true, withFileTypes: true }))
      if (file.isFile()) await writeFile(join(file.parentPath, file.name), "{");
    const { code, stdout, stderr } = await place.run("recover");
    expect([code, stdout]).toEqual([5, expect.stringMatching(/^unreadable\t[\w-]+\t[^\t]+\n$/)]);
    expect(stderr).toContain("each may be a paid task");
  }));

test("recover forgets what ended a month ago, but no key, and nothing unknown, unsaved or in a store that --store names", () =>
  inPlace(async ({ cwd, env, run }) => {
    const month = 30 * 86_400_000;
    const more: Readonly<Record<string, Partial<GenerationEntry>>> = {
      "aa-old": {},
      "cc-keyed": { idempotencyKey: "k" },
      "ee-unknown": { state: "unknown", task: undefined },
      "ff-unsaved": { outcome: "succeeded", updatedAt: Date.now() - month - 43_200_000 },
    };
    const kept: string[][] = [];
    for (const directory of [join(env["XDG_STATE_HOME"] ?? "", "mediagen"), join(cwd, "own")]) {
      for (const [id, fields] of Object.entries(more))
        await fileStore(directory).write({
          ...{
            version: 1,
            id,
            revision: 1,
            attempt: "a",
            kind: "image",
            model: "imgmodelz",
            resultCount: 1,
          },
          ...{
            origin: env["MEDIAGEN_BASE_URL"] ?? "",
            createdAt: 0,
            updatedAt: Date.now() - month - 86_400_000,
          },
          ...{
            state: "ended",
            task: { version: 2, kind: "image", taskid: id, origin: "", resultCount: 1 },
            ...fields,
          },
        });
      expect((await run(`recover --store ${directory}`)).code).toBe(5);
      const { stdout } = await run(`task list --store ${directory}`);
      kept.push([...(stdout.match(/\w\w-(old|keyed|unknown|unsaved)/g) ?? [])].sort());
    }
    expect(kept).toEqual([Object.keys(more).slice(1), Object.keys(more)]);
  }));
