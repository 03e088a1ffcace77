import { createEmulator, type EmulatorOptions } from "@mediagen/emulator";
import { createMediaGen } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { readSpec, type SpecOperation } from "../../scripts/spec.ts";
import { kinds, schemaOf, yaml } from "../contract/cases.ts";
import { serviceOf } from "./service-of.ts";

function start(options: EmulatorOptions = {}) {
  const emulator = createEmulator(options);
  const { client } = emulator;
  const media = createMediaGen(client);
  /** Posts a body as it is, and returns status and envelope. */
  const post = async (path: string, body: unknown, contentType = "application/json") => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await emulator.fetch(client.baseUrl + path, {
      method: "POST",
      headers: { authorization: client.apiKey, "content-type": contentType },
      body: text,
    });
    return {
      status: response.status,
      ...((await response.json()) as { code: number; msg: string }),
    };
  };
  const postForm = async (path: string, fields: Readonly<Record<string, string>>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const init = { method: "POST", headers: { authorization: client.apiKey }, body: form };
    const response = await emulator.fetch(client.baseUrl + path, init);
    return (await response.json()) as { code: number; msg: string; data?: unknown };
  };
  return { emulator, media, post, postForm };
}

const [video, image] = kinds;
const queryPath = video?.query.path ?? "";
const formPath = image?.generate.get("imgmodelv5")?.path ?? "";

const json = "application/json";
const multipart = "multipart/form-data; boundary=x";
const half = `--x\r\nContent-Disposition: form-data; name="prompt"\r\n\r\nA f`;

test.for<[string, string, string, string, string, number?]>([
  ["JSON that ends in the middle", queryPath, '{"taskid":', json, "the body is not JSON"],
  ["a list", queryPath, "[]", json, "the body must be a JSON object"],
  ["nothing", queryPath, "", json, "the body is not JSON"],
  [
    "another type than JSON",
    queryPath,
    "taskid=1",
    "text/plain",
    "Content-Type must be application/json, not text/plain",
  ],
  [
    "a form that ends in the middle",
    formPath,
    half,
    multipart,
    "the body is not multipart/form-data",
  ],
  [
    "two prompts",
    formPath,
    `${half}\r\n${half}\r\n--x--\r\n`,
    multipart,
    "prompt: was sent 2 times, must be sent exactly once",
  ],
  ["an unknown path", "/v1/video", "{}", json, "there is no POST /v1/video", 404],
])("%s is rejected, and says why", async ([, path, body, type, msg, status = 200]) => {
  const { emulator, post } = start();
  expect(await post(path, body, type)).toMatchObject({
    status,
    code: 9999,
    msg: expect.stringContaining(msg),
  });
  expect(emulator).toMatchObject({ tasks: [], charges: [], calls: [{ path, status }] });
});

test("a method other than POST is rejected", async () => {
  const { emulator } = start();
  const response = await emulator.fetch(emulator.client.baseUrl + queryPath);
  expect(response.status).toBe(405);
  expect(await response.json()).toMatchObject({
    code: 9999,
    msg: `${queryPath} takes POST, not GET`,
  });
});

test("the HTTP statuses of a wrong key, an unknown path and a wrong method are settings", async () => {
  const behaviour = { wrongKeyStatus: 200, unknownPathStatus: 200, wrongMethodStatus: 400 };
  const { emulator, post } = start({ behaviour });
  await post("/v1/video", "{}");
  await emulator.fetch(emulator.client.baseUrl + queryPath);
  const media = createMediaGen({ ...emulator.client, apiKey: "another-key" });
  await expect(media.image.generate("imgmodelz", { prompt: "A fox" })).rejects.toMatchObject({
    status: 200,
  });
  expect(emulator.calls.map(({ status }) => status)).toEqual([200, 400, 200]);
});

describe("a rejection names the field and the bound, in its message and in the log of calls", () => {
  const { maxLength = 0 } = schemaOf("vidmodelv2", "prompt");
  const pixels = schemaOf("imgmodelv45", "resolution")
    .anyOf?.map((branch) => branch["x-total-pixels"])
    .find((bound) => bound);
  test.for([
    [
      "/v1/video/vidmodelv2",
      { prompt: "x".repeat(maxLength + 1) },
      new RegExp(`^prompt: .*${maxLength + 1} > ${maxLength}`),
    ],
    [
      "/v1/images/imgmodelv45",
      { prompt: "x", resolution: "1x1" },
      new RegExp(
        `^resolution: 1x1 must have ${pixels?.minimum} to ${pixels?.maximum} pixels in all$`,
      ),
    ],
    ["/v1/images/imgmodelz", { resolution: "1x1" }, /prompt.*resolution: .*pattern/s],
  ] as const)("%s %o", async ([path, fields, expected]) => {
    const { emulator, postForm } = start();
    const { code, msg } = await postForm(path, fields);
    expect([code, msg]).toEqual([9999, expect.stringMatching(expected)]);
    expect(emulator.calls[0]?.violations.join("; ")).toBe(msg);
  });
});

describe("a mistake that the service might tolerate", () => {
  test.for([
    [{ durration: "10" }, "durration is not a known field. Did you mean duration?"],
    [{ style: "woodcut", ["__proto__"]: "x" }, "style is not a known field. Use one of prompt, "],
    [{ fps: "abc" }, 'fps: "abc" is not an integer'],
  ] as const)(
    "is a violation of a call that succeeds, or fails if the behaviour is strict: %o",
    async ([fields, why]) => {
      const given = { prompt: "A fox", ...fields };
      const { emulator, postForm } = start();
      expect(await postForm("/v1/video/vidmodelv2", given)).toMatchObject({ code: 1000 });
      expect(emulator.calls[0]?.violations[0]).toMatch(why);
      expect(Object.entries(emulator.tasks[0]?.fields ?? {})).toEqual(Object.entries(given));
      const strict = start({ behaviour: { strict: true } });
      expect(await strict.postForm("/v1/video/vidmodelv2", given)).toMatchObject({ code: 9999 });
      expect(strict.emulator.charges).toEqual([]);
    },
  );
});

describe("what the description leaves unbounded has limits of the emulator", () => {
  const long = { prompt: "x".repeat(2_000) };
  test.for<[string, string, Record<string, string>, EmulatorOptions["limits"], string]>([
    [
      "bodies",
      formPath,
      long,
      { body: 1_000 },
      "the body is larger than 1000 bytes, the emulator's limit",
    ],
    ["texts", formPath, long, { text: 100 }, "prompt: is longer than 100 characters"],
    [
      "sizes",
      "/v1/images/imgmodelz",
      { resolution: "4097*4096" },
      {},
      "4097 by 4096 is more than 16777216 pixels",
    ],
    [
      "levels",
      formPath,
      { resolution: "1000K" },
      {},
      "resolution: 1024000 by 1024000 is more than",
    ],
    [
      "ratios",
      "/v1/video/vidmodelv15pro",
      { ratio: "1000000:1" },
      {},
      "ratio: 720000000 by 720 is more than",
    ],
  ])("%s", async ([, path, fields, limits, msg]) => {
    const { emulator, postForm } = start({ limits });
    const given = { prompt: "x", ...fields };
    expect(await postForm(path, given)).toEqual({ code: 9999, msg: expect.stringContaining(msg) });
    expect(emulator).toMatchObject({
      tasks: [],
      charges: [],
      calls: [{ violations: [expect.stringContaining(msg)] }],
    });
  });

  test.for(["0K", "1:100000", "0:0", "1x1", "4096x4096", "a size"])(
    "a resolution of %s is accepted, and makes a picture",
    async (resolution) => {
      const { emulator, media } = start();
      const task = await media.image.generate("imgmodelv5", { prompt: "x", resolution });
      const { width = 0, height = 0, url } = await task.wait();
      expect(Math.min(width, height)).toBeGreaterThan(0);
      const header = new DataView(await (await emulator.fetch(url[0] ?? "")).arrayBuffer());
      expect([header.getUint32(16), header.getUint32(20)]).toEqual([width, height]);
    },
  );
});

test("a model of another document has its own fields: choices, numbers and flags", async () => {
  const { paths } = readSpec(yaml);
  const path = "/v1/images/imgmodelv4";
  const properties = {
    mood: { type: "string", enum: ["calm", "wild"] },
    frames: { type: "integer", minimum: 2, "x-result-count": true },
    loud: { type: "boolean" },
  };
  const requestBody = {
    content: { "multipart/form-data": { schema: { type: "object", properties } } },
  };
  const post = { ...paths[path]?.post, requestBody } as unknown as SpecOperation;
  const { emulator, postForm } = start({
    service: await serviceOf({ paths: { ...paths, [path]: { post } } }),
  });
  const fields = { mood: "calm", frames: "3", loud: "true" };
  expect(await postForm(path, fields)).toMatchObject({ code: 1000 });
  expect(emulator.tasks[0]).toMatchObject({
    fields: { mood: "calm", frames: 3, loud: true },
    plan: { count: 3 },
  });
  for (const wrong of [
    { mood: "grim" },
    { frames: "1" },
    { loud: "1" },
    ...["05", " 5", "5.0", "٥"].map((frames) => ({ frames })),
  ])
    expect(await postForm(path, { ...fields, ...wrong })).toMatchObject({
      code: 9999,
      msg: expect.stringContaining(Object.keys(wrong)[0] ?? ""),
    });
});
