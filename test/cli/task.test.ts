import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createMediaGen, fileStore, type GenerationEntry, type GenerationStore, memoryStore } from "@mediagen/sdk/node";
import { describe, test } from "vitest";
import { commandsIn, inPlace, mediagen, paste, type Place } from "./run-command.ts";

/** What generates a task, besides the prompt. */
interface Given {
  readonly prompt?: string;
  readonly batchsize?: number;
  readonly store?: GenerationStore | undefined;
}

/** Generates in this process, into the store of the command, and returns the task as the command line spells it. */
async function generate(
  { env }: Pick<Place, "env">,
  [kind, prompt, , model = ""]: readonly string[],
  { store = storeOf(env), ...fields }: Given = {},
): Promise<string> {
  const media = createMediaGen({ baseUrl: env["MEDIAGEN_BASE_URL"], apiKey: env["MEDIAGEN_API_KEY"], store });
  const { taskid } = await media.generate(model, { prompt, ...fields });
  return `${kind}:${taskid}`;
}

const storeOf = ({ XDG_STATE_HOME = "" }: Place["env"]): GenerationStore => fileStore(join(XDG_STATE_HOME, "mediagen"));

/** Generates with the command. */
async function generateByCommand({ cwd, env }: Place, ...args: string[]): Promise<string> {
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
        const done = await generate(place, video);
        emulator.clock.advance("1h");
        const pending = await generate(place, image);
        const { code, stdout } = await mediagen(["task", "show", done, pending], { cwd, env }).ended;
        expect([code, stdout.split("\n")]).toEqual([
          0,
          [
            expect.stringMatching(`^${done}\tsucceeded\t2\thttp://\\S+$`),
            expect.stringMatching(`^${pending}\tpending\t\\d$`),
            "",
          ],
        ]);
      },
      { clock: "manual" },
    ));

  test("show of a task that does not exist reports it, and shows the others", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const there = await generate(place, video);
      const { code, stdout, stderr } = await mediagen(["task", "show", "video:gone", there], { cwd, env }).ended;
      expect([code, stdout]).toEqual([1, expect.stringMatching(`^${there}\t`)]);
      expect(stderr).toMatch(/^mediagen: queryVideoTask: .*gone.*\n {2}.+\n$/);
    }));

  test("wait prints the URLs of results, in the order in which tasks finish", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const images = await generate(place, image, { batchsize: 2 });
      const { code, stdout } = await mediagen(["task", "wait", images, "--results", "2", "-q"], { cwd, env }).ended;
      expect(code).toBe(0);
      expect(stdout).toMatch(/^(http:\/\/\S+\n){2}$/);
      const ids = [await generate(place, video), await generate(place, image)];
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
        await generate(place, video),
        await generate(place, image, { prompt: "#fail" }),
        await generate(place, image),
      ];
      const { code, stdout, stderr } = await mediagen(
        ["task", "download", ...ids, "-o", "out/", "--failed-status", "3"],
        { cwd, env },
      ).ended;
      expect([code, stdout.split("\n").sort()]).toEqual([
        1,
        ["", expect.stringMatching(/^out\/image-\w+-1\.png$/), expect.stringMatching(/^out\/video-\w+-1\.mp4$/)],
      ]);
      expect(stderr).toMatch(new RegExp(`\\d of 3 done, failed, status 3: ${ids[1]}`));
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
      const ids = [await generate(place, video), await generate(place, image), await generate(place, image)];
      const { stdout } = await mediagen(["task", "delete", ...ids], { cwd, env }).ended;
      expect(stdout).toBe(`${ids.join("\n")}\n`);
      expect((await mediagen(["task", "show", ...ids.slice(0, 1)], { cwd, env }).ended).stdout).toContain(
        "\tdeleted\t",
      );
      expect(emulator.tasks).toEqual([]);
      expect((await mediagen(["task", "delete", "--help"]).ended).stdout).toContain("--uid <text>");
      const other = await generate(place, image);
      expect(await mediagen(["task", "delete", other, "--uid", "u-1", "--json"], { cwd, env }).ended).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^\{\n {2}"deleted": \[\n {4}\{\n {6}"version"/),
      });
    }));

  test("takes an id alone if the store has it, which also has the number of results", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const [, id = ""] = (await generate(place, image, { batchsize: 3 })).split(":");
      const [, other = ""] = (await generate(place, image, { store: memoryStore() })).split(":");
      const run = (...args: string[]) => mediagen(["task", ...args, "-q"], { cwd, env }).ended;
      expect((await run("show", id)).code).toBe(0);
      expect((await run("show", other)).code).toBe(2);
      expect((await run("show", `image:${other}`)).code).toBe(0);
      expect((await run("download", id, "-o", "out/")).stdout.trim().split("\n")).toHaveLength(3);
    }));

  test("download -o - writes the result to stdout, and nothing else", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const task = await generate(place, image);
      const { code, stdout } = await mediagen(["task", "download", task, "-o", "-"], { cwd, env }).ended;
      expect([code, stdout.slice(1, 4), await readdir(cwd)]).toEqual([0, "PNG", []]);
      const several = await generate(place, image, { batchsize: 2 });
      expect(await mediagen(["task", "download", several, "-o", "-"], { cwd, env }).ended).toMatchObject({
        code: 2,
        stdout: "",
      });
    }));

  test("list prints what the store knows, first what has not ended, and needs neither base URL nor key", ({ expect }) =>
    inPlace(
      async (place) => {
        const { cwd, env, emulator } = place;
        const { XDG_STATE_HOME = "" } = env;
        const list = (...args: string[]) => mediagen(["task", "list", ...args], { cwd, env: { XDG_STATE_HOME } }).ended;
        expect(await list()).toEqual({
          code: 0,
          stdout: "",
          stderr: "the store has no generations; a batch has a store of its own: --store DIR/generations\n",
        });
        const done = await generateByCommand(place, ...image, "--batchsize", "2", "--idempotency-key", "order-42");
        const pending = await generate(place, video);
        emulator.next({ fault: "resetAfter", on: "generate" });
        await mediagen([...image, "-q"], { cwd, env }).ended;
        await mediagen(["task", "delete", await generate(place, video)], { cwd, env }).ended;
        emulator.clock.advance("4s");
        await mediagen(["task", "download", done, "-q", "-o", "out"], { cwd, env }).ended;
        const created = "\\d{4}-\\d\\d-\\d\\dT\\S+Z";
        const { code, stdout } = await list();
        expect([code, stdout.trimEnd().split("\n")]).toEqual([
          0,
          [
            expect.stringMatching(`^[\\w-]{36}\timgmodelv4\tunknown\t${created}\t$`.replace("\\t$", "\\t?$")),
            expect.stringMatching(`^${pending}\tvidmodelv2\tpending\t${created}`),
            expect.stringMatching(`^video:\\S+\tvidmodelv2\tdeleted\t${created}`),
            expect.stringMatching(`^${done}\timgmodelv4\tsucceeded\t${created}\tout/image-\\w+-1.png and 1 more$`),
          ],
        ]);
        const limited = await list("--limit", "1", "--json");
        expect([limited.stderr, JSON.parse(limited.stdout)]).toMatchObject([
          "3 more; --limit 4 lists all\n",
          [{ state: "unknown", origin: env["MEDIAGEN_BASE_URL"], saved: [] }],
        ]);
        const all = JSON.parse((await list("--json")).stdout) as readonly { readonly saved: readonly string[] }[];
        expect(all.at(-1)).toMatchObject({ task: { taskid: done.split(":")[1] }, idempotencyKey: "order-42" });
        expect(all.at(-1)?.saved).toEqual([1, 2].map((n) => join(cwd, "out", `${done.split(":")[1]}-${n}.png`)));
        expect(await list("--base-url", "http://127.0.0.1:9")).toMatchObject({
          stdout: "",
          stderr: "not listed: 4 generations at other base URLs\n",
        });
        // What has ended is not listed as succeeded once it is deleted.
        expect((await mediagen(["task", "delete", done], { cwd, env }).ended).code).toBe(0);
        expect((await list()).stdout).toMatch(new RegExp(`^${done}\timgmodelv4\tdeleted\t`, "m"));
        await writeFile(join(cwd, "afile"), "");
        expect((await list("--store", "afile")).code).toBe(2);
      },
      { clock: "manual" },
    ));

  test("list forgets what ended a month ago, but no key, nothing unfinished or unsaved, and nothing of a store that it was given", ({
    expect,
  }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const stores = [join(env["XDG_STATE_HOME"] ?? "", "mediagen"), join(cwd, "own")];
      const kept: string[][] = [];
      for (const directory of stores) {
        const store = fileStore(directory);
        const write = (id: string, more: Partial<GenerationEntry>) =>
          store.write({
            version: 1,
            id,
            revision: 1,
            attempt: "a",
            kind: "image",
            model: "imgmodelz",
            origin: env["MEDIAGEN_BASE_URL"] ?? "",
            resultCount: 1,
            createdAt: 0,
            updatedAt: Date.now() - 31 * 86_400_000,
            state: "ended",
            task: { version: 2, kind: "image", taskid: id, origin: "", resultCount: 1 },
            ...more,
          });
        await write("aa-old", {});
        await write("bb-new", { updatedAt: Date.now() });
        await write("cc-keyed", { idempotencyKey: "k" });
        await write("dd-pending", { state: "created" });
        await write("ee-unknown", { state: "unknown", task: undefined });
        await write("ff-unsaved", { outcome: "succeeded", updatedAt: Date.now() - 30.5 * 86_400_000 });
        expect((await mediagen(["task", "list", "--store", directory], { cwd, env }).ended).code).toBe(0);
        const { stdout } = await mediagen(["task", "list", "--store", directory], { cwd, env }).ended;
        kept.push([...stdout.matchAll(/\w\w-(old|new|keyed|pending|unknown|unsaved)/g)].map(([id]) => id).sort());
      }
      const all = ["aa-old", "bb-new", "cc-keyed", "dd-pending", "ee-unknown", "ff-unsaved"];
      expect(kept).toEqual([all.slice(1), all]);
    }));
});

describe.concurrent("mediagen recover", () => {
  test("lists what is left, and ends with 5 if an outcome is unknown", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env, emulator } = place;
      const stored = { cwd, env };
      const task = await generate(place, video);
      expect(await mediagen(["recover"], stored).ended).toMatchObject({
        code: 0,
        stdout: `resume\t${task}\tvidmodelv2\n`,
        stderr: "download the results:\n    mediagen recover -o .\n",
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
    }));

  test("with -o downloads what is left, takes no other file for it, and does not list it again", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const stored = { cwd, env };
      await generate(place, video);
      const [, id = ""] = (await generate(place, image, { batchsize: 2 })).split(":");
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
      // A result that is missing comes back, and the other one stays as it is.
      const before = await stat(join(cwd, `out/${id}-1.png`));
      await rm(join(cwd, `out/${id}-2.png`));
      const { code, stdout } = await mediagen(["task", "download", id, "-o", "out", "-q"], stored).ended;
      expect([code, stdout.trim().split("\n"), (await readdir(join(cwd, "out"))).length]).toEqual([
        0,
        paths.slice(0, 2),
        5,
      ]);
      expect((await stat(join(cwd, `out/${id}-1.png`))).ino).toBe(before.ino);
      expect(await mediagen(["recover"], stored).ended).toEqual({
        code: 0,
        stdout: "",
        stderr: `nothing is left to do in the store ${env["XDG_STATE_HOME"]}/mediagen\n`,
      });
    }));

  test("still lists what could not be saved, and rejects a store that does not exist", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const stored = { cwd, env };
      const task = await generate(place, image);
      await mkdir(join(cwd, "out"));
      await writeFile(join(cwd, "out", `${task.split(":")[1]}-1.png`), "other");
      expect(await mediagen(["recover", "-o", "out", "-q"], stored).ended).toMatchObject({ code: 6 });
      expect((await mediagen(["recover", "-q"], stored).ended).stdout).toBe(`finished\t${task}\timgmodelv4\n`);
      expect(await mediagen(["recover", "--store", "stroe"], stored).ended).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("--store stroe: there is no such directory"),
      });
      expect(await readdir(cwd)).toEqual(["out"]);
    }));

  test("names what is left at another base URL, and rejects a directory that is no store", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const store = ["--store", "jobs/generations"];
      const task = await generateByCommand(place, ...image, ...store);
      await writeFile(join(cwd, "jobs", "index.html"), "");
      const other = { cwd, env: { ...env, MEDIAGEN_BASE_URL: "http://127.0.0.1:9" } };
      const { code, stdout, stderr } = await mediagen(["recover", "-q", ...store], other).ended;
      expect([code, stdout, stderr]).toEqual([0, "", expect.stringMatching(/also has generations left at http:\S+\./)]);
      expect(await paste(commandsIn(stderr).join(), other)).toMatchObject({
        code: 0,
        stdout: `resume\t${task}\timgmodelv4\n`,
      });
      const noStore = await mediagen(["recover", "--store", "jobs"], { cwd, env }).ended;
      expect([noStore.code, noStore.stderr]).toEqual([
        2,
        expect.stringMatching(/^mediagen: --store jobs: this directory is not a store\n.* is DIR\/generations\.\n$/),
      ]);
    }));

  test("ends with 5 for an unknown outcome, whatever else could not be saved", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env, emulator } = place;
      const task = await generate(place, image);
      emulator.next({ fault: "resetAfter", on: "generate" });
      await mediagen([...image, "-q"], { cwd, env }).ended;
      await mkdir(join(cwd, "out"));
      await writeFile(join(cwd, "out", `${task.split(":")[1]}-1.png`), "other");
      const conflict = await mediagen(["recover", "-o", "out", "-q"], { cwd, env }).ended;
      expect([conflict.code, conflict.stderr]).toEqual([5, expect.stringContaining("could not be saved")]);
    }));

  test("with --resolve records the task of an unknown generation, or that there is none", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      const stored = { cwd, env };
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
      const stored = { cwd, env };
      emulator.next({ fault: "html", on: "generate" });
      await mediagen([...image, "-q"], stored).ended;
      const [, id = ""] = /^unknown\t(\S+)/.exec((await mediagen(["recover", "-q"], stored).ended).stdout) ?? [];
      const resolve = (...args: string[]) => mediagen(["recover", "--resolve", id, ...args], stored).ended;
      expect(await resolve("--taskid", "gone")).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /--taskid "gone" is not known to the service\..*--unverified with it to record it anyway\.\n {2}Nothing was recorded\./,
        ),
      });
      // A person who believed that there is no task would pay again.
      emulator.next({ fault: "insufficientCredits", on: "query" });
      const { code, stderr } = await resolve("--taskid", emulator.tasks[0]?.taskid ?? "");
      expect([code, stderr]).toEqual([
        3,
        expect.stringMatching(/it is still unknown whether the task exists\. Add credits, /),
      ]);
      expect(await resolve("--taskid", "gone", "--unverified")).toMatchObject({ code: 0, stdout: "image:gone\n" });
      expect(await resolve("--taskid", "video:gone", "--unverified")).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("pass image:ID"),
      });
      // What was recorded by mistake can be corrected, also once the results of the wrong task are there.
      const { taskid } = emulator.tasks[0] ?? { taskid: "" };
      const wrong = await generate({ env }, image, { store: memoryStore() });
      expect(await resolve("--taskid", wrong)).toMatchObject({ code: 0, stdout: `${wrong}\n` });
      expect(await mediagen(["recover", "-o", "out", "-q"], stored).ended).toMatchObject({ code: 0 });
      expect(await resolve("--not-created")).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/has a known outcome \(image-\w+\)\..*\n {2}Nothing was recorded\./),
      });
      expect(await resolve("--taskid", taskid)).toMatchObject({ code: 0, stdout: `image:${taskid}\n` });
      // The files of the wrong task do not stand for those of this one.
      await mediagen(["task", "wait", taskid, "-q"], stored).ended;
      expect((await mediagen(["recover", "-q"], stored).ended).stdout).toBe(`finished\timage:${taskid}\timgmodelv4\n`);
      expect(await mediagen(["recover", "--resolve", "other", "--not-created"], stored).ended).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--resolve other: the store has no such generation"),
      });
    }));

  test("lists records that cannot be read, and ends with 5, because each may be a paid task", ({ expect }) =>
    inPlace(async (place) => {
      const { cwd, env } = place;
      const stored = { cwd, env };
      await generate(place, video);
      for (const file of await readdir(join(env["XDG_STATE_HOME"] ?? "", "mediagen"), {
        recursive: true,
        withFileTypes: true,
      }))
        if (file.isFile()) await writeFile(join(file.parentPath, file.name), "{");
      const { code, stdout, stderr } = await mediagen(["recover"], stored).ended;
      expect([code, stdout]).toEqual([5, expect.stringMatching(/^unreadable\t[\w-]+\t[^\t]+\n$/)]);
      expect(stderr).toContain("each may be a paid task");
    }));
});
