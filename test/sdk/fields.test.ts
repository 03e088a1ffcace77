import {
  createMediaGen,
  fieldsOf,
  InvalidRequestError,
  isModel,
  listModels,
  validate,
  type Issue,
  type Form,
} from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { durations, schemaOf } from "../contract/cases.ts";

let sent = 0;
const media = createMediaGen({
  baseUrl: "http://localhost",
  fetch: async () => (sent++, Response.json({ code: 1000, msg: "", data: { taskid: "t-1" } })),
});

/** The issues of a form that the compiler would refuse. */
const issuesOf = (form: unknown): readonly Issue[] => validate("vidmodelv2", form as Form<"vidmodelv2">);
const png = new Blob([Uint8Array.from(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))], { type: "image/png" });

const { maxLength = 0 } = schemaOf("vidmodelv2", "prompt");
const { maxItems = 0 } = schemaOf("vidmodelv2", "sourceImage.items");
const list = (values: readonly unknown[] = []) =>
  values
    .map((value) => JSON.stringify(value))
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1");

test("an invalid form lists every bad field, what was received and what is valid, and sends nothing", async () => {
  const form = {
    prompt: "x".repeat(maxLength + 1),
    duration: 0.5,
    ratio: "16x9",
    generateAudio: true,
    seed: 1.5,
  } as unknown as Form<"vidmodelv2">;
  const error: unknown = await media.video.generate("vidmodelv2", form).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InvalidRequestError);
  expect((error as InvalidRequestError).issues).toEqual(issuesOf(form));
  expect((error as Error).message).toBe(
    `vidmodelv2: 5 problems. Nothing was sent.
  prompt must be non-blank text of at most ${maxLength} characters, not "${"x".repeat(60)}... (${maxLength + 1} characters)".
  duration must be one of ${list(durations)}, not 0.5.
  ratio must be one of ${list(schemaOf("vidmodelv2", "ratio").enum)}, not "16x9". Did you mean "16:9"?
  generateAudio is not a known field. Did you mean generate_audio?
  seed must be a whole number, not 1.5.`,
  );
  expect(sent).toBe(0);
});

describe("what is refused", () => {
  test.for<[string, unknown, string]>([
    ["a number as text", { duration: String(durations[0]) }, "duration"],
    ["null", { prompt: null }, "prompt"],
    ["NaN", { seed: Number.NaN }, "seed"],
    ["a number that is no longer exact", { seed: 2 ** 53 }, "seed"],
    ["a big integer", { seed: 5n }, "seed"],
    ["half a frame", { fps: 23.5 }, "fps"],
    ["a number that is no int32", { fps: 2 ** 31 }, "fps"],
    ["a flag that is neither", { websearch: "yes" }, "websearch"],
    ["a flag as a number", { websearch: 1 }, "websearch"],
    ["half of a surrogate pair", { prompt: "fox \ud83e" }, "prompt"],
    ["a file that is none", { sourceImage: { name: "first.png" } }, "sourceImage"],
    ["a list with a gap", { sourceImage: [png, undefined] }, "sourceImage[1]"],
    ["a list in a list", { sourceImage: [[png]] }, "sourceImage[0]"],
    ["a path where a file is meant", { sourceImage: "first.png" }, "sourceImage"],
    ["a relative path", { sourceImage: "../first" }, "sourceImage"],
    ["an absolute path", { sourceImage: "/pictures/first.JPG" }, "sourceImage"],
    ["a path without an extension", { sourceImage: "/pictures/first" }, "sourceImage"],
    ["a path of Windows", { sourceImage: "C:\\pictures\\first" }, "sourceImage"],
    ["a URL where a file is meant", { sourceImage: "https://example.com/first" }, "sourceImage"],
    ["a URL of a bucket", { sourceImage: "s3://bucket/first" }, "sourceImage"],
    ["an empty text where a file is meant", { sourceImage: "" }, "sourceImage"],
    ["Base64 where a file is meant", { sourceImage: "iVBORw0KGgo".repeat(10) }, "sourceImage"],
    ["a data URI", { sourceImage: "data:image/png;base64,iVBORw0KGgo=" }, "sourceImage"],
    ["an empty file", { sourceImage: new Blob([], { type: "image/png" }) }, "sourceImage[0]"],
    ["a file too many", { sourceImage: Array(maxItems + 1).fill(png) }, "sourceImage"],
    ["a part's name", { "sourceImage.items": [png] }, "sourceImage.items"],
    ["a name of every object", { toString: "x" }, "toString"],
    ["a prototype", JSON.parse('{"prompt":"x","__proto__":"x"}'), "__proto__"],
    ["no object", "prompt", "form"],
    ["a list", [], "form"],
    ["nothing", undefined, "form"],
  ])("%s", ([, form, field]) => {
    expect(issuesOf(form).map((issue) => issue.field)).toEqual([field]);
  });

  test("a list of several files where the model takes one", () => {
    const form = { prompt: "x", sourceImage: [png] } as unknown as Form<"imgmodelv4">;
    expect(validate("imgmodelv4", form)).toMatchObject([
      { field: "sourceImage", code: "invalid", message: "sourceImage must be an image file, not a list of 1." },
    ]);
  });

  test("a model that does not exist, with those that do", async () => {
    const model = "vidmodelv2fats" as "vidmodelv2fast";
    expect(validate(model, { prompt: "x" })).toMatchObject([
      { field: "model", message: expect.stringContaining("vidmodelv2fast,") },
    ]);
    await expect(media.video.generate(model, { prompt: "x" })).rejects.toBeInstanceOf(InvalidRequestError);
    await expect(media.video.generate("imgmodelz" as "vidmodelv2", { prompt: "x" })).rejects.toThrow(
      /vidmodelv15pro, not "imgmodelz"/,
    );
    await expect(media.video.generate("constructor" as "vidmodelv2", { prompt: "x" })).rejects.toThrow("model");
  });

  test("a picture that was pasted as the name of a model is not repeated in the error", async () => {
    const picture = "iVBORw0KGgo".repeat(200_000);
    const error: unknown = await media.generate(picture, { prompt: "x" }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ issues: [{ field: "model" }] });
    expect(String(error).length).toBeLessThan(2_000);
  });

  test("an extra field that the model knows, that is no text, number, boolean or file, or a path where other models take files", () => {
    const extraFields = {
      prompt: "x",
      deep: { x: 1 } as unknown as string,
      nan: Number.NaN,
      half: "\ud83e",
      toString: "taken",
      sourceImage: "./first",
    };
    const issues = validate("imgmodelz", { prompt: "x" }, extraFields);
    expect(issues.map(({ field }) => field)).toEqual([
      "extraFields.prompt",
      "extraFields.deep",
      "extraFields.nan",
      "extraFields.half",
      "extraFields.sourceImage",
    ]);
  });

  test("a typo in the options of a query", async () => {
    await expect(media.video.query("t-1", { moreTaskinfo: true } as object)).rejects.toThrow(
      "Did you mean moreTaskInfo?",
    );
    await expect(media.video.query(7 as unknown as string)).rejects.toThrow("taskid must be text, not 7.");
  });
});

test("a count that no bound holds still makes a task of at least one result", async () => {
  const task = await media.image.generate("imgmodelv5", { prompt: "x", batchsize: 0 });
  expect(media.task(task.toJSON()).resultCount).toBe(1);
  sent = 0;
  for (const resultCount of [0, Number.NaN, 1.5])
    expect(() => media.image.task("t-1", { resultCount })).toThrow("resultCount");
});

test("whoever changes the list of models does not change the checks", () => {
  const listed = listModels().find(({ model }) => model === "vidmodelv2") as unknown as {
    form: { fields: { field: string; max: number }[] };
  };
  for (const field of listed.form.fields) field.max = 1;
  expect(issuesOf({ prompt: "longer" })).toEqual([]);
});

describe("what is taken", () => {
  test.for<[string, unknown]>([
    ["flags as booleans and as text", { prompt: "x", websearch: true, generate_audio: "0" }],
    ["frames as a number", { prompt: "x", fps: 30 }],
    ["frames as text", { prompt: "x", fps: "30" }],
    ["one file without a list", { sourceImage: png }],
    ["a text that stands for no file", { sourceImage: "the first frame: dawn" }],
    ["as many code points as allowed, whatever their code units", { prompt: "🦊".repeat(maxLength) }],
    ["undefined beside another field", { prompt: "x", seed: undefined }],
    ["an object without prototype", Object.assign(Object.create(null), { prompt: "x" })],
  ])("%s", ([, form]) => {
    expect(issuesOf(form)).toEqual([]);
  });
});

test("an extra field may have a name that every object inherits", () => {
  expect(validate("imgmodelz", { prompt: "x" }, { constructor: "x", ["__proto__"]: "x" })).toEqual([]);
});

test("text is measured as it is sent, where every line break is two characters", () => {
  const text = `${"x".repeat(maxLength - 2)}\n`;
  expect(issuesOf({ prompt: text })).toEqual([]);
  expect(issuesOf({ prompt: `${text}x` })).toMatchObject([{ field: "prompt" }]);
});

test("the models and their bounds are listed", () => {
  const models = listModels();
  expect(models.filter(({ kind }) => kind === "image").length).toBeGreaterThan(0);
  for (const { model, form } of models)
    expect(form.fields, model).toContainEqual(expect.objectContaining({ field: "prompt", takes: "text" }));
});

test("a model that is known only at run time is checked without types", () => {
  const model: string = "imgmodelz";
  expect([isModel(model), isModel("imgmodelq"), isModel("constructor"), isModel("")]).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(validate(model, { prompt: "x", seed: "7" })).toMatchObject([{ field: "seed", code: "invalid" }]);
  expect(validate(7 as unknown as string, {})).toMatchObject([
    { field: "model", code: "unknown", message: expect.stringMatching(/, not 7\./) },
  ]);
  expect(fieldsOf(model)).toEqual(listModels().find((one) => one.model === model)?.form.fields);
  expect(() => fieldsOf("imgmodelq")).toThrow('not "imgmodelq"');
});

test("each issue has a code, and what may have been meant", () => {
  const codes = (form: unknown) => issuesOf(form).map(({ field, code }) => `${field} ${code}`);
  expect(codes({ prompt: 1, duration: 6, seed: 1.5, sourceImage: "a.png", x: 1, execution_expires_after: 1 })).toEqual([
    "prompt invalid",
    "duration invalid",
    "seed invalid",
    "sourceImage invalid",
    "x unknown",
    "execution_expires_after invalid",
  ]);
  expect(codes({ sourceImage: Array(maxItems + 1).fill(png) })).toEqual(["sourceImage invalid"]);
  expect(codes({ sourceImage: [] })).toEqual(["sourceImage invalid"]);
  expect(codes({})).toEqual(["form missing"]);
  expect(validate("imgmodelv45", { prompt: "x", resolution: "4k" as "4K" })).toMatchObject([
    { message: expect.stringContaining('Did you mean "4K"?') },
  ]);
  expect(validate("imgmodelv45", { prompt: "x", resolution: "1x1" })).toMatchObject([{ code: "invalid" }]);
  expect(validate("imgmodelz", {} as Form<"imgmodelz">)).toMatchObject([
    { field: "prompt", code: "missing", message: "prompt is missing. Pass non-blank text." },
  ]);
});

test("the message of one issue is one line", async () => {
  const sent = (form: object) => media.video.generate("vidmodelv2", form);
  await expect(sent({ prompt: 1 })).rejects.toThrow(
    `vidmodelv2: prompt must be non-blank text of at most ${maxLength} characters, not 1. Nothing was sent.`,
  );
  await expect(sent({ ratio: "16x9" })).rejects.toThrow(
    /^vidmodelv2: ratio must be one of .+, not "16x9"\. Did you mean "16:9"\? Nothing was sent\.$/,
  );
});

test("the fields of a form are told without a client, as people would fill them in", () => {
  expect(fieldsOf("vidmodelv2")).toEqual(
    expect.arrayContaining([
      {
        field: "sourceImage",
        part: "sourceImage.items",
        takes: "file",
        expected: `1 to ${maxItems} image files`,
        many: true,
        item: "an image file",
        min: 1,
        max: maxItems,
        isImage: true,
        acceptsText: true,
      },
      {
        field: "duration",
        takes: "number",
        expected: `one of ${list(durations)}`,
        values: durations,
        default: schemaOf("vidmodelv2", "duration").default,
        isWhole: true,
      },
      {
        field: "websearch",
        takes: "flag",
        expected: 'one of true, false, "0" or "1"',
        values: ["0", "1"],
      },
    ]),
  );
  expect(
    fieldsOf("imgmodelv45")
      .filter(({ required }) => required)
      .map(({ field }) => field),
  ).toEqual(["prompt"]);
  expect(fieldsOf("imgmodelv45").find(({ field }) => field === "resolution")).toMatchObject({
    takes: "text",
    values: expect.arrayContaining(["16:9", "4K"]),
  });
});
