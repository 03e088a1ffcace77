import fs, { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createMediaGen } from "@mediagen/sdk/node";
import { describe, expect, test, vi } from "vitest";
import { inPlace, type Place, type PlaceOptions, spawnOnTerminal, fails } from "./run-command.ts";

const image = "image 'A bicycle' -m imgmodelz -o b.png -q";

/** Runs a test without variables for the base URL and the key. */
function loggedOut(
  run: (place: Place & { readonly url: string; readonly file: string }) => Promise<void>,
  options: PlaceOptions = {},
) {
  return inPlace(async ({ env, start, ...place }) => {
    const { MEDIAGEN_BASE_URL: url = "", MEDIAGEN_API_KEY: _, ...rest } = env;
    const file = join(rest["XDG_CONFIG_HOME"] ?? "", "mediagen/login");
    const startHere: Place["start"] = (line, more) => start(line, { env: rest, ...more });
    await run({
      ...place,
      env: rest,
      url,
      file,
      start: startHere,
      run: (line, more) => startHere(line, more).ended,
    });
  }, options);
}

describe("mediagen login", () => {
  test("saves the base URL and the key of stdin for this user only, and other commands use them until logout", () =>
    loggedOut(async ({ env, url, file, run }) => {
      const says = `0:00 the key for ${url} is saved in ${file}\n0:00 a test query of a task that does not exist returned: `;
      await fails(run(`login --base-url ${url}`, { stdin: "emulator-key\n" }), 0, says);
      expect(await readFile(file, "utf8")).toBe(`${url}\nemulator-key\n`);
      expect([(await stat(file)).mode & 0o777, (await stat(dirname(file))).mode & 0o777]).toEqual([
        0o600, 0o700,
      ]);
      expect(await run(image)).toMatchObject({ code: 0, stdout: "b.png\n" });
      const dry = await run(`${image} --dry-run`);
      expect(dry.stdout).toContain("Authorization: the key saved by mediagen login, not shown\n");
      // A test must not find a key that pays.
      expect(() => createMediaGen({ baseUrl: url })).not.toThrow();
      await expect(createMediaGen({ baseUrl: url }).image.query("image-1")).rejects.toThrow(
        "API key is missing",
      );
      expect(await run("logout")).toMatchObject({
        code: 0,
        stderr: `0:00 the saved key is removed from ${file}\n`,
      });
      expect([(await run(image)).code, await readdir(dirname(file))]).toEqual([2, []]);
      expect((await run("logout", { env })).code).toBe(0);
    }));

  test("asks for both on a terminal, and does not show the key", () =>
    loggedOut(async ({ cwd, env, url, file }) => {
      const login = spawnOnTerminal(["login"], { cwd, env });
      await login.printed(/Base URL: /);
      login.type(`${url}\n`);
      await login.printed(/API key for http\S+ \(not shown\): /);
      login.type("emulator-kez\x7fy\n");
      const { code, stdout } = await login.ended;
      expect([code, stdout]).toEqual([0, expect.stringContaining("a test query of a task")]);
      expect(stdout).not.toMatch(/emulator-k|\*/);
      expect(await readFile(file, "utf8")).toBe(`${url}\nemulator-key\n`);
    }));

  test("keeps what was saved if the key or the base URL is wrong, or cannot be checked or saved", () =>
    loggedOut(async ({ url, file, run }) => {
      await run(`login --base-url ${url}`, { stdin: "emulator-key" });
      for (const [stdin, more, code, says] of [
        [
          "wrong-key",
          url,
          1,
          "the key was rejected: .*HTTP 401\\.\n {2}Nothing was saved\\. Check the key and ",
        ],
        [
          "wrong-key",
          "http://127.0.0.1:9",
          1,
          "nothing was sent .*ECONNREFUSED.*\n {2}Nothing was saved\\. ",
        ],
        [
          "emulator-key",
          "http://media.example.com",
          2,
          "With --allow-http, everyone on the way can read",
        ],
        ["", url, 2, "the API key is not one line of ASCII\n {2}Nothing was sent or saved\\."],
      ] as const) {
        const ended = await run(`login --base-url ${more}`, { stdin });
        expect([ended.code, ended.stderr], more).toEqual([code, expect.stringMatching(says)]);
        expect(ended.stderr).not.toContain("wrong-key");
      }
      await fails(run("login", { stdin: "k" }), 2, "base URL is missing");
      const { open } = fs;
      const opening = vi.spyOn(fs, "open").mockImplementation(async (...given) => {
        const opened = await open(...given);
        await opened.write("half of it");
        vi.spyOn(opened, "writeFile").mockRejectedValue(new Error("the disk is full"));
        return opened;
      });
      const full = run(`login --base-url ${url}`, { stdin: "emulator-key" });
      await fails(full, 1, "saved: the disk is full\n  What was saved before has not changed.");
      opening.mockRestore();
      expect(await readdir(dirname(file))).toEqual(["login"]);
      expect(await readFile(file, "utf8")).toBe(`${url}\nemulator-key\n`);
    }));

  test("shows what the service says if that may be about the key", () =>
    loggedOut(
      async ({ url, file, run }) => {
        await fails(
          run(`login --base-url ${url}`, { stdin: "other-key" }),
          0,
          /a test query .*code 9999: .*key.*\n.*run mediagen login again/,
        );
        expect(await readFile(file, "utf8")).toBe(`${url}\nother-key\n`);
      },
      { behaviour: { wrongKeyStatus: 200 } },
    ));

  test("saves nothing if something else than the service responds", () =>
    loggedOut(
      async ({ url, file, run }) => {
        await fails(
          run(`login --base-url ${url}`, { stdin: "emulator-key" }),
          1,
          /HTTP 404.*\n {2}Nothing was saved\. /,
        );
        await expect(readFile(file)).rejects.toThrow("ENOENT");
      },
      { hold: async (_, response) => ({ ...response, status: 404, body: "<html>" }) },
    ));
});

describe("a saved key", () => {
  test("is used only for its origin, and variables win as a pair", () =>
    loggedOut(async ({ env, url, emulator, run }) => {
      await run(`login --base-url ${url}`, { stdin: "emulator-key" });
      const other = "http://127.0.0.1:9";
      const elsewhere = `MEDIAGEN_API_KEY is not set; the saved key is only for ${url}\n`;
      for (const [line, more, says] of [
        [`${image} --base-url ${other}`, {}, elsewhere],
        [image, { MEDIAGEN_BASE_URL: other }, elsewhere],
        [image, { MEDIAGEN_API_KEY: "k" }, "MEDIAGEN_BASE_URL is not set\n"],
      ] as const)
        await fails(run(line, { env: { ...env, ...more } }), 2, says);
      expect(emulator.charges).toEqual([]);
      const pair = { MEDIAGEN_BASE_URL: url, MEDIAGEN_API_KEY: "wrong-key" };
      expect((await run(image, { env: { ...env, ...pair } })).code).toBe(1);
      expect((await run(`${image} --base-url ${url}/`)).code).toBe(0);
    }));

  test.for(["sk-secret", "http://127.0.0.1:9\nsk-secret", "sk-secret\nhttp://127.0.0.1:9\n"])(
    "in a damaged file (%j) is not shown",
    (text) =>
      loggedOut(async ({ file, run }) => {
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, text);
        const says =
          "is damaged\n  Nothing was sent. Run mediagen login again, or mediagen logout.\n";
        const { stderr } = await fails(run(image), 2, says);
        expect(stderr).not.toContain("sk-secret");
      }),
  );
});
