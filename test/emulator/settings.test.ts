import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createEmulator, defaultBehaviour, type Behaviour } from "@mediagen/emulator";
import { createMediaGen } from "@mediagen/sdk";
import { expect, test } from "vitest";
import { directoryForAll } from "../temporary-directory.ts";
import { runCommand } from "./command-process.ts";

const directory = directoryForAll();

/** A value that is not the default, for each setting. */
const others: { readonly [Name in keyof Behaviour]: Behaviour[Name] } = {
  strict: true,
  statuses: { pending: 10, running: 11, succeeded: 12, failed: 13 },
  unknownIds: "ignore",
  wrongKeyStatus: 200,
  unknownPathStatus: 400,
  wrongMethodStatus: 501,
  resultsArrive: "one by one",
  creditsPerVideoSecond: 1,
  creditsPerImage: 0,
  pendingMs: 20_000,
  runningMsPerVideoSecond: 1.5,
  runningMsPerImage: 60_000,
  queryMovesMs: 0,
  linksLiveMs: 3_600_000,
  generateLatencyMs: 300,
  queryLatencyMs: 50,
  downloadLatencyMs: 100,
  latencyJitter: 0.5,
  callsPerMinute: 60,
  callsAtOnce: 4,
};
const names = Object.keys(others) as (keyof Behaviour)[];
const textOf = (value: unknown) =>
  typeof value === "object" ? Object.values(value ?? {}).join() : String(value);

async function control(emulator: ReturnType<typeof createEmulator>, name: string, body?: unknown) {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const url = `http://emulator.localhost/_emulator/${name}`;
  const response = await emulator.fetch(url, body === undefined ? {} : init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test.for(names)(
  "the setting %s is an option in code, and can be changed in code and over HTTP",
  async (name) => {
    const settings = { [name]: others[name] };
    expect(others[name]).not.toEqual(defaultBehaviour[name]);
    const changed = createEmulator();
    changed.configure(settings);
    const steered = createEmulator();
    expect(await control(steered, "behaviour", settings)).toMatchObject({ status: 200 });
    for (const emulator of [createEmulator({ behaviour: settings }), changed, steered])
      expect(emulator.behaviour).toEqual({ ...defaultBehaviour, ...settings });
    expect((await control(steered, "behaviour")).body).toEqual({
      ...defaultBehaviour,
      ...settings,
    });
    steered.reset();
    expect(steered.behaviour).toEqual(defaultBehaviour);
  },
);

test("each setting is an option of the command and a variable, of which the option wins", async () => {
  const program = `fetch(process.env.MEDIAGEN_BASE_URL + "/_emulator/behaviour")
    .then((response) => response.text())
    .then(console.log);`;
  const capitals = (name: string, mark: string) =>
    name.replace(/[A-Z]/g, (letter) => mark + letter);
  const read = async (options: readonly string[], values: Readonly<Record<string, unknown>>) => {
    const variables = Object.entries(values).map(([name, value]) => [
      `MEDIAGEN_BEHAVIOUR_${capitals(name, "_").toUpperCase()}`,
      textOf(value),
    ]);
    const env = { ...process.env, ...(Object.fromEntries(variables) as Record<string, string>) };
    const args = ["--port", "0", ...options, "exec", "--", process.execPath, "-e", program];
    return JSON.parse((await runCommand(args, { env }).ended).stdout) as unknown;
  };
  const options = names.flatMap((name) => {
    const flag = `--${capitals(name, "-").toLowerCase()}`;
    return others[name] === true ? [flag] : [flag, textOf(others[name])];
  });
  expect(await read(options, defaultBehaviour)).toEqual(others);
  expect(await read([], others)).toEqual(others);
  expect(await read(["--pending-ms", "1m"], {})).toEqual({
    ...defaultBehaviour,
    pendingMs: 60_000,
  });
  const env = { ...process.env, MEDIAGEN_BEHAVIOUR_UNKNOWN_ID: "fail" };
  const { code, stderr } = await runCommand([], { env }).ended;
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("Did you mean MEDIAGEN_BEHAVIOUR_UNKNOWN_IDS?"),
  ]);
});

test.for<[Record<string, unknown>, string]>([
  [{ unknownId: "fail" }, "unknownId is not a known setting. Did you mean unknownIds?"],
  [{ unknownIds: "maybe" }, 'unknownIds: "maybe" is not valid. Use "fail" or "ignore".'],
  [{ wrongKeyStatus: 99 }, "wrongKeyStatus: 99 is not valid. Use an HTTP status from 200 to 599."],
  [{ pendingMs: "20s" }, 'pendingMs: "20s" is not valid. Use milliseconds'],
  [
    { statuses: { pending: 1, running: 1, succeeded: 2, failed: 3 } },
    "Use four different integers",
  ],
])("%o is rejected, and says why", async ([settings, why]) => {
  const emulator = createEmulator();
  expect(() => createEmulator({ behaviour: settings })).toThrow(why);
  expect(() => emulator.configure({ creditsPerImage: 1, ...settings })).toThrow(why);
  const response = await control(emulator, "behaviour", { creditsPerImage: 1, ...settings });
  expect(response).toEqual({ status: 400, body: { error: expect.stringContaining(why) } });
  expect(emulator.behaviour).toEqual(defaultBehaviour);
});

test("the report counts calls and charges, and lists violations longer than calls are kept", async () => {
  const emulator = createEmulator({ limits: { calls: 2 } });
  const media = createMediaGen(emulator.client);
  await emulator.fetch("http://emulator.localhost/v1/none");
  const task = await media.image.generate("imgmodelv4", { prompt: "A fox" });
  await task.wait();
  for (let call = 0; call < 200; call++) await task.check();
  const report = emulator.report();
  expect(report).toMatchObject({
    calls: { "unknown path": 1, generateImgmodelv4: 1, queryImageTask: expect.any(Number) },
    violatingCalls: 1,
    violations: [{ path: "/v1/none", violations: ["there is no GET /v1/none"] }],
    credits: 5,
    charges: [{ taskid: task.taskid, credits: 5 }],
  });
  expect(emulator.calls).toHaveLength(2);
  expect((await control(emulator, "report")).body).toEqual(JSON.parse(JSON.stringify(report)));
  emulator.reset();
  expect(emulator.report()).toEqual({
    calls: {},
    violatingCalls: 0,
    violations: [],
    credits: 0,
    charges: [],
  });
});

test(
  "exec --strict ends with 1 if a call had violations, and writes reports in JSON and JUnit",
  { timeout: 30_000 },
  async () => {
    const script = `
    const { MEDIAGEN_BASE_URL: base, MEDIAGEN_API_KEY: authorization } = process.env;
    const body = new FormData();
    for (const [name, value] of [["prompt", "A fox"], ...JSON.parse(process.argv[1])]) body.append(name, value);
    await fetch(base + "/v1/images/imgmodelz", { method: "POST", headers: { authorization }, body });`;
    const run = (file: string, fields: readonly string[][], ...options: readonly string[]) =>
      runCommand([
        ...[...options, "--fresh", "--report", join(directory, file), "exec", "--"],
        ...[process.execPath, "--input-type=module", "-e", script, JSON.stringify(fields)],
      ]).ended;
    const [bad, good] = await Promise.all([
      run("bad.xml", [["style<", "woodcut"]], "--strict"),
      run("good.json", [], "--strict"),
    ]);
    expect(bad).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("style< is not a known field. Use one of"),
    });
    expect(await readFile(join(directory, "bad.xml"), "utf8")).toMatch(
      /<testsuite name="mediagen-emulator" tests="1" failures="1">[^]*<property name="credits" value="0"\/>[^]*name="generateImgmodelz" assertions="1"><failure message="POST \/v1\/images\/imgmodelz: style&lt; is not a known field\. Use one of prompt, /,
    );
    expect(good).toMatchObject({ code: 0, stderr: "" });
    const read = async (file: string) =>
      JSON.parse(await readFile(join(directory, file), "utf8")) as unknown;
    expect(await read("good.json")).toMatchObject({ violatingCalls: 0, charges: [{ credits: 5 }] });
  },
);

test("an option that does not exist is rejected, because it would change nothing", () => {
  expect(() => createEmulator({ behavior: { strict: false } } as object)).toThrow(
    "behavior is not a known option of createEmulator. Did you mean behaviour?",
  );
  expect(() => createEmulator({ limits: { call: 3 } as object })).toThrow(
    "not a known limit. Did you mean calls?",
  );
  expect(() => createEmulator({ seed: undefined, other: undefined } as object)).not.toThrow();
});
