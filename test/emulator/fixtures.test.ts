import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { readFile } from "node:fs/promises";
import { useEmulator } from "@mediagen/emulator/vitest";
import { createMediaGen } from "@mediagen/sdk";
import { parse } from "yaml";
import { describe, expect, onTestFinished, test, vi } from "vitest";

const emulator = useEmulator({ credits: 100 });
const form = { prompt: "A fox" };
const met: (() => void)[] = [];

describe("useEmulator in Vitest", () => {
  test.for([1, 2])("gives each test a new emulator: %i", async () => {
    expect([emulator.credits, emulator.calls]).toEqual([100, []]);
    emulator.paidTimes(0);
    const task = await createMediaGen(emulator.client).image.generate("imgmodelv4", form);
    expect(task.taskid).toBe("image-a087ea00b349");
    emulator.paidOnce();
    emulator.noViolations();
    emulator.credits = 7;
  });

  test("asserts how often was billed, and says what", async () => {
    expect(() => emulator.paidOnce()).toThrow("0 generations were billed, not 1.");
    await createMediaGen(emulator.client).image.generate("imgmodelv4", form);
    expect(() => emulator.paidTimes(0)).toThrow(
      /^1 generation was billed, not 0\.\n {2}image-\w+ by generateImgmodelv4, 5 credits$/,
    );
  });

  test("asserts that no call had violations, and lists them", async () => {
    const media = createMediaGen(emulator.client);
    await media.image.generate("imgmodelv4", form, { extraFields: { promt: "A fox" } });
    expect(() => emulator.noViolations()).toThrow(
      "1 call had violations:\n  POST /v1/images/imgmodelv4: promt is not a known field. Did you mean prompt?",
    );
  });
});

describe.concurrent("tests that run at the same time", () => {
  test.for([1, 2])("fail if they use the emulator of the file: %i", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    met.push(resolve);
    if (met.length === 2) met.forEach((each) => each());
    await promise;
    expect(() => emulator.client).toThrow(
      "useEmulator: tests of this file run at the same time and would share it. Use test.extend({ emulator: emulatorFixture() })",
    );
  });
});

describe("useEmulator with a port", () => {
  const served = useEmulator({ listen: true, clock: { speed: 1_000 } });
  test.for([1, 2])("serves each test's own emulator at one base URL: %i", async () => {
    expect(served.calls).toEqual([]);
    const media = createMediaGen({ baseUrl: served.baseUrl ?? "", apiKey: served.client.apiKey });
    await media.image.generate("imgmodelv4", form);
    served.paidOnce();
  });
});

test("useEmulator does the same in node:test", async () => {
  const program = `
    import assert from "node:assert/strict";
    import { test } from "node:test";
    import { useEmulator } from "@mediagen/emulator/node-test";
    import { createMediaGen } from "@mediagen/sdk";
    const emulator = useEmulator({ listen: true });
    for (const name of ["one", "another"])
      test(name, { concurrency: true }, async (t) => {
        emulator.paidTimes(0);
        const { apiKey } = emulator.client;
        await createMediaGen({ baseUrl: emulator.baseUrl, apiKey }).image.generate("imgmodelv4", { prompt: "A fox" });
        emulator.paidOnce();
        emulator.noViolations();
        await Promise.all([1, 2].map((number) => t.test("inner " + number, async () => {
          await new Promise(setImmediate);
          assert.throws(() => emulator.client, /run at the same time.* Call createEmulator\\(\\) in each test/);
        })));
      });`;
  const args = ["--test-reporter=tap", "--input-type=module", "-e", program];
  // Otherwise Node's runner reports in the form for a parent of its own.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toMatch(/# pass 6\n# fail 0/);
});

describe("where tests have a DOM", () => {
  test("the client needs no allowBrowser, because no request leaves the page", async () => {
    vi.stubGlobal("document", {});
    onTestFinished(() => void vi.unstubAllGlobals());
    const { apiKey, fetch } = emulator.client;
    expect(() => createMediaGen({ baseUrl: "http://x.localhost", apiKey, fetch })).toThrow(
      "allowBrowser is needed",
    );
    await createMediaGen(emulator.client).image.generate("imgmodelv4", form);
    emulator.paidOnce();
  });

  test("the emulator loads without TextEncoder and TextDecoder, which jsdom does not have in Jest", async () => {
    const program = `delete globalThis.TextEncoder; delete globalThis.TextDecoder;
      const { createEmulator } = await import("@mediagen/emulator");
      console.log(createEmulator().charges.length);`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--input-type=module",
      "-e",
      program,
    ]);
    expect(stdout).toBe("0\n");
  });
});

describe("the GitHub Action", () => {
  const read = async () => {
    const action = parse(await readFile("packages/emulator/action.yml", "utf8")) as {
      inputs: Record<string, { default?: string; required?: boolean }>;
      runs: { using: string; steps: { shell: string; env: Record<string, string>; run: string }[] };
    };
    const [step] = action.runs.steps;
    if (!step) throw new Error("the action has no step");
    return { ...action, step };
  };

  test("puts no input into a script, where it could run anything", async () => {
    const { step, inputs } = await read();
    expect(step.run).not.toContain("${{");
    const used = Object.values(step.env).map(
      (value) => /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1],
    );
    expect(used.sort()).toEqual(Object.keys(inputs).sort());
  });

  test("runs the command next to the emulator, with the options, and fails if the command does", async () => {
    const { step, inputs } = await read();
    const run = (command: string) => {
      // The workspace's own, not one that npx finds.
      const script = `npx() { shift 2; "${process.execPath}" packages/emulator/dist/command.js "$@"; }\n${step.run}`;
      const env = { ...process.env, RUN: command, OPTIONS: inputs["options"]?.default ?? "" };
      return promisify(execFile)("bash", ["-eo", "pipefail", "-c", script], { env });
    };
    const curl = `curl -sf -H "authorization: $MEDIAGEN_API_KEY" -F prompt=fox "$MEDIAGEN_BASE_URL/v1/images/imgmodelz"`;
    expect((await run(`${curl}\necho "again and again"`)).stdout).toMatch(
      /"code":1000.*again and again/s,
    );
    await expect(run("exit 3")).rejects.toMatchObject({ code: 3 });
    await expect(run(curl.replace("prompt=fox", "prompt=fox -F promt=fox"))).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("promt is not a known field"),
    });
  });
});
