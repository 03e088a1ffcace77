import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { memoryStore } from "@mediagen/sdk/node";
import { describe, expect, test } from "vitest";
import { generate, inPlace, fails } from "./run-command.ts";

const video = "vidmodelv2";
const image = "imgmodelv4";

describe("mediagen task", () => {
  test("show prints each task's state, status and results without waiting, and reports one that does not exist", () =>
    inPlace(
      async (place) => {
        const done = await generate(place, video);
        place.emulator.clock.advance("1h");
        const pending = await generate(place, image);
        const { code, stdout, stderr } = await place.run(`task show ${done} video:gone ${pending}`);
        expect([code, stdout.split("\n")]).toEqual([
          1,
          [
            expect.stringMatching(`^${done}\tsucceeded\t2\thttp://\\S+$`),
            expect.stringMatching(`^${pending}\tpending\t\\d$`),
            "",
          ],
        ]);
        expect(stderr).toMatch(/^mediagen: queryVideoTask: .*gone.*\n {2}.+\n$/m);
      },
      { clock: "manual" },
    ));

  test("download downloads the results of several tasks, reports the one that failed, and ends with its code", () =>
    inPlace(async (place) => {
      const failing = await generate(place, image, { prompt: "#fail" });
      const ids = [await generate(place, video), failing, await generate(place, image)];
      const { code, stdout, stderr } = await place.run(
        `task download ${ids.join(" ")} -o out/ --failed-status 3`,
      );
      expect([code, stdout.split("\n").sort()]).toEqual([
        1,
        [
          "",
          expect.stringMatching(/^out\/image-\w+-1\.png$/),
          expect.stringMatching(/^out\/video-\w+-1\.mp4$/),
        ],
      ]);
      expect(stderr).toMatch(new RegExp(`\\d of 3 done, failed, status 3: ${failing}`));
      await fails(
        place.run("task download video:a video:b -o out/a.mp4"),
        2,
        "Pass a directory: -o out/",
      );
    }));

  test("delete removes tasks of both kinds", () =>
    inPlace(async (place) => {
      const ids = [
        await generate(place, video),
        await generate(place, image),
        await generate(place, image),
      ];
      expect((await place.run(`task delete ${ids.join(" ")}`)).stdout).toBe(`${ids.join("\n")}\n`);
      expect((await place.run(`task show ${ids[0]}`)).stdout).toContain("\tdeleted\t");
      expect(place.emulator.tasks).toEqual([]);
    }));

  test("takes an id alone if the store has it, which also has the number of results", () =>
    inPlace(async (place) => {
      const [, id = ""] = (await generate(place, image, { batchsize: 3 })).split(":");
      const [, other = ""] = (await generate(place, image, { store: memoryStore() })).split(":");
      expect((await place.run(`task show ${other} -q`)).code).toBe(2);
      expect(
        (await place.run(`task download ${id} -o out/ -q`)).stdout.trim().split("\n"),
      ).toHaveLength(3);
    }));

  test("download -o - writes the result to stdout, and nothing else", () =>
    inPlace(async (place) => {
      const { code, stdout } = await place.run(
        `task download ${await generate(place, image)} -o -`,
      );
      expect([code, stdout.slice(1, 4), await readdir(place.cwd)]).toEqual([0, "PNG", []]);
      const several = await generate(place, image, { batchsize: 2 });
      expect(await place.run(`task download ${several} -o -`)).toMatchObject({
        code: 2,
        stdout: "",
      });
    }));

  test("list prints what the store knows, first what has not ended, and needs neither base URL nor key", () =>
    inPlace(
      async (place) => {
        const { cwd, env, emulator, run } = place;
        const { XDG_STATE_HOME = "", XDG_CONFIG_HOME = "" } = env;
        const list = (flags = "") =>
          run(`task list ${flags}`, { env: { XDG_STATE_HOME, XDG_CONFIG_HOME } });
        expect((await list()).stderr).toMatch(
          /^the store has no generations; .* --store DIR\/generations\n$/,
        );
        const generation = `image A -m ${image} --batchsize 2 --idempotency-key order-42 --no-wait -q`;
        const done = (await run(generation)).stdout.trim();
        const pending = await generate(place, video);
        emulator.next({ fault: "resetAfter", on: "generate" });
        await run(`image A -m ${image} -q`);
        const deleted = await generate(place, video);
        await run(`task delete ${deleted}`);
        emulator.clock.advance("4s");
        await run(`task download ${done} -q -o out`);
        const rest = "\\d{4}-\\d\\d-\\d\\dT\\S+Z\t";
        const { stdout } = await list();
        expect(stdout.trimEnd().split("\n")).toEqual([
          expect.stringMatching(`^[\\w-]{36}\timgmodelv4\tunknown\t${rest}`),
          expect.stringMatching(`^${pending}\tvidmodelv2\tpending\t${rest}`),
          expect.stringMatching(`^${deleted}\tvidmodelv2\tdeleted\t${rest}`),
          expect.stringMatching(
            `^${done}\timgmodelv4\tsucceeded\t${rest}out/image-\\w+-1.png and 1 more$`,
          ),
        ]);
        expect((await list("--state unknown --model imgmodelv4")).stdout).toBe(
          `${stdout.split("\n")[0]}\n`,
        );
        expect((await list("--state pending --model imgmodelv4")).stdout).toBe("");
        expect((await list("--limit 1")).stderr).toBe("3 more; --limit 4 lists all\n");
        const taskid = done.replace("image:", "");
        const all: unknown = JSON.parse((await list("--json --state succeeded")).stdout);
        const saved = [1, 2].map((n) => join(cwd, "out", `${taskid}-${n}.png`));
        const origin = env["MEDIAGEN_BASE_URL"];
        expect(all).toMatchObject([
          { task: { taskid }, idempotencyKey: "order-42", origin, saved },
        ]);
        const elsewhere = await list("--base-url http://127.0.0.1:9");
        expect(elsewhere.stderr).toBe("not listed: 4 generations at other base URLs\n");
        // A task that has ended is not listed as succeeded once it is deleted.
        await run(`task delete ${done}`);
        expect((await list()).stdout).toMatch(new RegExp(`^${done}\timgmodelv4\tdeleted\t`, "m"));
      },
      { clock: "manual" },
    ));
});
