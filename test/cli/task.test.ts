import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "vitest";
import { commandsIn, inPlace, mediagen, paste, type Place } from "./run-command.ts";

/** Generates without waiting, and returns the task as the command line spells it. */
async function generate({ cwd, env }: Place, ...args: string[]): Promise<string> {
  const { stdout } = await mediagen([...args, "--no-wait", "-q"], { cwd, env }).ended;
  return stdout.trim();
}
const video = ["video", "A fox", "-m", "vidmodelv2"];
const image = ["image", "A bicycle", "-m", "imgmodelv4"];

describe.concurrent("mediagen task", () => {
  test("show prints each task's state, status and results, and does not wait", ({ expect }) =>
    inPlace(
      async (place) => {
        const { cwd, env, emulator } = place;
        const done = await generate(place, ...video);
        emulator.clock.advance("1h");
        const pending = await generate(place, ...image);
        const { code, stdout } = await mediagen(["task", "show", done, pending], { cwd, env }).ended;
        expect([code, stdout.split("\n")]).toEqual([
          0,
          [
            expect.stringMatching(`^${done}\tsucceeded\t2\thttp://\\S+$`),
            expect.stringMatching(`^${pending}\tpending\t\\d$`),
            "",
          ],
        ]);
        const { stdout: json } = await mediagen(["task", "show", pending, "--json"], { cwd, env }).ended;
        expect(JSON.parse(json)).toMatchObject([{ task: { kind: "image" }, state: "pending", record: { url: [] } }]);
      },
      { clock: "manual" },
    ));

  test("show of a task that does not exist reports it, and shows the others", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const there = await generate(place, ...video);
      const { code, stdout, stderr } = await mediagen(["task", "show", "video:gone", there], { cwd, env }).ended;
      expect([code, stdout]).toEqual([1, expect.stringMatching(`^${there}\t`)]);
      expect(stderr).toMatch(/^mediagen: queryVideoTask: .*gone.*\n {2}.+\n$/);
    }));

  test("wait prints the URLs of results, in the order in which tasks finish", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const images = await generate(place, ...image, "--batchsize", "2");
      const { code, stdout } = await mediagen(["task", "wait", images, "--results", "2", "-q"], { cwd, env }).ended;
      expect(code).toBe(0);
      expect(stdout).toMatch(/^(http:\/\/\S+\n){2}$/);
      const ids = [await generate(place, ...video), await generate(place, ...image)];
      expect((await mediagen(["task", "wait", ...ids, "-q"], { cwd, env }).ended).stdout).toMatch(
        /^(http:\/\/\S+\n){2}$/,
      );
    }));

  test("download downloads the results of several tasks, reports the one that failed, and ends with its code", ({
    expect,
  }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const ids = [
        await generate(place, ...video),
        await generate(place, "image", "#fail", ...image.slice(2)),
        await generate(place, ...image),
      ];
      const { code, stdout, stderr } = await mediagen(
        ["task", "download", ...ids, "-o", "out/", "--failed-status", "3"],
        { cwd, env },
      ).ended;
      expect([code, stdout.split("\n").sort()]).toEqual([
        1,
        ["", expect.stringMatching(/^out\/image-\w+-1\.png$/), expect.stringMatching(/^out\/video-\w+-1\.mp4$/)],
      ]);
      expect(stderr).toContain(`${ids[1]} failed`);
      expect(stderr).toMatch(/\d of 3 done, \w+:/);
    }));

  test("download of several tasks to one file is wrong usage", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      expect(
        await mediagen(["task", "download", "video:a", "video:b", "-o", "out/a.mp4"], { cwd, env }).ended,
      ).toMatchObject({ code: 2, stderr: expect.stringContaining("Pass a directory: -o out/") });
    }));

  test("delete removes tasks of both kinds, with what the service takes besides their ids", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env, emulator } = place;
      const ids = [await generate(place, ...video), await generate(place, ...image), await generate(place, ...image)];
      expect(await mediagen(["task", "delete", ...ids], { cwd, env }).ended).toMatchObject({
        code: 0,
        stdout: `${ids.join("\n")}\n`,
      });
      expect(emulator.tasks).toEqual([]);
      expect((await mediagen(["task", "delete", "--help"]).ended).stdout).toContain("--uid <text>");
      const other = await generate(place, ...image);
      expect(await mediagen(["task", "delete", other, "--uid", "u-1", "--json"], { cwd, env }).ended).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`"deleted": [\n    "${other}"`),
      });
    }));

  test("takes an id alone with --kind or a store, which also has the number of results", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const [, id = ""] = (await generate(place, ...image, "--batchsize", "3", "--store", "store")).split(":");
      const run = (...args: string[]) => mediagen(["task", ...args, "-q"], { cwd, env }).ended;
      expect((await run("show", id)).code).toBe(2);
      expect((await run("show", id, "--kind", "image")).code).toBe(0);
      expect((await run("download", id, "-o", "out/", "--store", "store")).stdout.trim().split("\n")).toHaveLength(3);
    }));
});

describe.concurrent("mediagen recover", () => {
  test("lists what is left, and ends with 5 if an outcome is unknown", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env, emulator } = place;
      const stored = { cwd, env: { ...env, MEDIAGEN_STORE: "store" } };
      const task = await generate({ ...place, ...stored }, ...video);
      expect(await mediagen(["recover"], stored).ended).toMatchObject({
        code: 0,
        stdout: `resume\t${task}\tvidmodelv2\n`,
        stderr: "0:00 download the results:\n    mediagen recover -o .\n",
      });
      emulator.next({ fault: "resetAfter", on: "generate" });
      await mediagen([...image, "-q"], stored).ended;
      const { code, stdout, stderr } = await mediagen(["recover"], stored).ended;
      expect([code, stdout]).toEqual([
        5,
        expect.stringMatching(`^resume\t${task}\tvidmodelv2\nunknown\t[\\w-]+\timgmodelv4\t\\d{4}-\\S+Z\t[^\\t]+\n$`),
      ]);
      const id = /^unknown\t(\S+)/m.exec(stdout)?.[1];
      const resolve = [
        `mediagen recover --resolve ${id} --taskid TASKID`,
        `mediagen recover --resolve ${id} --not-created`,
      ];
      expect(commandsIn(stderr)).toEqual(["mediagen recover -o .", ...resolve]);
      // With -o too, what stays unknown is reported, also with --quiet.
      const quiet = await mediagen(["recover", "-o", "out", "-q"], stored).ended;
      expect([quiet.code, commandsIn(quiet.stderr)]).toEqual([5, resolve]);
      const { stdout: json } = await mediagen(["recover", "--json", "-q"], stored).ended;
      expect(JSON.parse(json)).toMatchObject({
        tasks: [],
        finished: [{ kind: "video" }],
        unknown: [{ model: "imgmodelv4" }],
        unreadable: [],
      });
    }));

  test("with -o downloads what is left, and takes no other file for it; with --forget the store forgets it", ({
    expect,
  }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const stored = { cwd, env: { ...env, MEDIAGEN_STORE: "store" } };
      await generate({ ...place, ...stored }, ...video);
      const [, id = ""] = (await generate({ ...place, ...stored }, ...image, "--batchsize", "2")).split(":");
      // It has ended and nothing of it was downloaded: these are files of tasks with longer ids.
      await mediagen(["task", "wait", `image:${id}`, "-q"], stored).ended;
      await mkdir(join(cwd, "out"));
      for (const name of [`${id}-1-1.png`, `${id}-2-1.png`]) await writeFile(join(cwd, "out", name), "other");
      const first = await mediagen(["recover", "-o", "out", "-q"], stored).ended;
      const paths = first.stdout.trim().split("\n").sort();
      expect([first.code, paths]).toEqual([
        0,
        [`out/${id}-1.png`, `out/${id}-2.png`, expect.stringMatching(/^out\/video-\w+-1\.mp4$/)],
      ]);
      // A result that is missing comes back, and the others stay as they are.
      const before = await stat(join(cwd, `out/${id}-1.png`));
      await rm(join(cwd, `out/${id}-2.png`));
      const { code, stdout } = await mediagen(["recover", "-o", "out", "-q", "--forget"], stored).ended;
      expect([code, stdout.trim().split("\n").sort(), (await readdir(join(cwd, "out"))).length]).toEqual([0, paths, 5]);
      expect((await stat(join(cwd, `out/${id}-1.png`))).ino).toBe(before.ino);
      expect(await mediagen(["recover"], stored).ended).toEqual({
        code: 0,
        stdout: "",
        stderr: "0:00 nothing is left to do in the store store\n",
      });
    }));

  test("with --forget alone says how to get the results that it forgets", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const stored = { cwd, env: { ...env, MEDIAGEN_STORE: "store" } };
      const [, id = ""] = (await generate({ ...place, ...stored }, ...image)).split(":");
      await mediagen(["task", "wait", `image:${id}`, "-q"], stored).ended;
      const { stderr } = await mediagen(["recover", "--forget"], stored).ended;
      expect(stderr).toMatch(
        new RegExp(`^0:00 the finished tasks are forgotten; .*:\\n +mediagen task download image:${id} -o \\.`),
      );
      expect((await mediagen(["recover"], stored).ended).stderr).toBe(
        "0:00 nothing is left to do in the store store\n",
      );
    }));

  test("forgets nothing that could not be saved, and rejects a store that does not exist", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const stored = { cwd, env: { ...env, MEDIAGEN_STORE: "store" } };
      const task = await generate({ ...place, ...stored }, ...image);
      await mkdir(join(cwd, "out"));
      await writeFile(join(cwd, "out", `${task.split(":")[1]}-1.png`), "other");
      expect(await mediagen(["recover", "-o", "out", "--forget", "-q"], stored).ended).toMatchObject({ code: 6 });
      expect((await mediagen(["recover", "-q"], stored).ended).stdout).toBe(`finished\t${task}\timgmodelv4\n`);
      expect(await mediagen(["recover", "--store", "stroe"], stored).ended).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("--store stroe: there is no such directory"),
      });
      expect((await readdir(cwd)).sort()).toEqual(["out", "store"]);
    }));

  test("names what is left at another base URL, and rejects a directory that is no store", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env, emulator } = place;
      const stored = { cwd, env: { ...env, MEDIAGEN_STORE: "jobs/generations" } };
      const task = await generate({ ...place, ...stored }, ...image);
      await writeFile(join(cwd, "jobs", "index.html"), "");
      const other = { cwd, env: { ...stored.env, MEDIAGEN_BASE_URL: "http://127.0.0.1:9" } };
      const { code, stdout, stderr } = await mediagen(["recover", "--forget"], other).ended;
      expect([code, stdout, stderr]).toEqual([
        1,
        "",
        expect.stringMatching(/1 generation left at http:\S+,[^]*nothing was forgotten/),
      ]);
      expect(await paste(commandsIn(stderr).join(), other)).toMatchObject({
        code: 0,
        stdout: `resume\t${task}\timgmodelv4\n`,
      });
      const noStore = await mediagen(["recover", "--store", "jobs"], stored).ended;
      expect([noStore.code, noStore.stderr]).toEqual([
        2,
        "mediagen: --store jobs: this directory is not a store\n  Did you mean --store jobs/generations?\n",
      ]);
      // An unknown outcome counts for more than a file that could not be saved.
      emulator.next({ fault: "resetAfter", on: "generate" });
      await mediagen([...image, "-q"], stored).ended;
      expect((await mediagen(["recover", "--json", "-q"], other).ended).code).toBe(5);
      await mkdir(join(cwd, "out"));
      await writeFile(join(cwd, "out", `${task.split(":")[1]}-1.png`), "other");
      const conflict = await mediagen(["recover", "-o", "out", "-q"], stored).ended;
      expect([conflict.code, conflict.stderr]).toEqual([5, expect.stringContaining("could not be saved")]);
    }));

  test("with --resolve records the task of an unknown generation, or that there is none", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      const stored = { cwd, env: { ...env, MEDIAGEN_STORE: "store" } };
      emulator.next({ fault: "html", on: "generate", times: 2 });
      for (let i = 0; i < 2; i++) await mediagen([...image, "-q"], stored).ended;
      const { stdout } = await mediagen(["recover", "-q"], stored).ended;
      const [one = "", other = ""] = [...stdout.matchAll(/^unknown\t(\S+)/gm)].map(([, id]) => id);
      const { taskid } = emulator.tasks[0] ?? { taskid: "" };
      for (const wrong of [[], ["--taskid", taskid, "--not-created"]]) {
        expect(await mediagen(["recover", "--resolve", one, ...wrong], stored).ended).toMatchObject({
          code: 2,
          stderr: expect.stringContaining("--taskid ID of the task that you found, or --not-created"),
        });
      }
      expect(await mediagen(["recover", "--resolve", one, "--taskid", `image:${taskid}`], stored).ended).toMatchObject({
        code: 0,
        stdout: `image:${taskid}\n`,
      });
      expect(await mediagen(["recover", "--resolve", other, "--not-created"], stored).ended).toMatchObject({
        code: 0,
        stdout: "",
      });
      expect(await mediagen(["recover", "-q"], stored).ended).toMatchObject({
        code: 0,
        stdout: `resume\timage:${taskid}\timgmodelv4\n`,
      });
    }));

  test("with --resolve rejects a task that the service does not know, unless it is --unverified", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      const stored = { cwd, env: { ...env, MEDIAGEN_STORE: "store" } };
      emulator.next({ fault: "html", on: "generate" });
      await mediagen([...image, "-q"], stored).ended;
      const [, id = ""] = /^unknown\t(\S+)/.exec((await mediagen(["recover", "-q"], stored).ended).stdout) ?? [];
      const resolve = (...args: string[]) => mediagen(["recover", "--resolve", id, ...args], stored).ended;
      expect(await resolve("--taskid", "gone")).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /"gone": the service knows no such task\n {2}Nothing was recorded\..*--unverified/,
        ),
      });
      expect(await resolve("--taskid", "gone", "--unverified")).toMatchObject({ code: 0, stdout: "image:gone\n" });
      expect(await resolve("--taskid", "video:gone", "--unverified")).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("pass image:ID"),
      });
      // What was recorded by mistake can be corrected, also once the results of the wrong task are there.
      const { taskid } = emulator.tasks[0] ?? { taskid: "" };
      const wrong = await generate({ cwd, env, emulator }, ...image);
      expect(await resolve("--taskid", wrong)).toMatchObject({ code: 0, stdout: `${wrong}\n` });
      expect(await mediagen(["recover", "-o", "out", "-q"], stored).ended).toMatchObject({ code: 0 });
      expect(await resolve("--not-created")).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/outcome is known \(image-\w+\)\n {2}Nothing was recorded\./),
      });
      expect(await resolve("--taskid", taskid)).toMatchObject({ code: 0, stdout: `image:${taskid}\n` });
      expect(await mediagen(["recover", "--resolve", "other", "--not-created"], stored).ended).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--resolve other: the store has no such generation"),
      });
    }));

  test("lists records that cannot be read, and ends with 5, because each may be a paid task", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const stored = { cwd, env: { ...env, MEDIAGEN_STORE: "store" } };
      await generate({ ...place, ...stored }, ...video);
      for (const file of await readdir(join(cwd, "store"), { recursive: true, withFileTypes: true }))
        if (file.isFile()) await writeFile(join(file.parentPath, file.name), "{");
      const { code, stdout, stderr } = await mediagen(["recover"], stored).ended;
      expect([code, stdout]).toEqual([5, expect.stringMatching(/^unreadable\t[\w-]+\t[^\t]+\n$/)]);
      expect(stderr).toContain("each may be a paid task");
    }));
});
