import { fieldsOf, isModel, listModels, type Model, validate } from "@mediagen/sdk";
import { formSchema } from "@mediagen/sdk/schema";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { boundCases, models, png } from "../contract/cases.ts";

const named = (model: string): Model => (isModel(model) ? model : expect.fail(model));
const drafts = { "draft-2020-12": Ajv2020, "draft-07": Ajv } as const;
/** Whether a field has no value in JSON. */
const takesFiles = (model: string, name: string) =>
  fieldsOf(model).some(({ field, takes }) => field === name && takes === "file");

describe.each(listModels())("the schema of $model", ({ model }) => {
  const standard = formSchema(named(model))["~standard"];
  const cases = boundCases.filter((one) => one.model === model);

  test("finds what validate finds, and returns a valid form as it is", () => {
    const jsonSchema = { input: expect.any(Function), output: expect.any(Function) };
    expect(standard).toEqual({
      version: 1,
      vendor: "mediagen",
      validate: expect.any(Function),
      jsonSchema,
    });
    for (const { form, good } of cases) {
      const result = standard.validate(form);
      expect(result.issues?.length ?? 0).toBe(validate(model, form).length);
      if (good) expect("value" in result && result.value).toBe(form);
    }
  });

  test.each(["draft-2020-12", "draft-07"] as const)(
    "as JSON Schema of %s passes Ajv's strict mode, and differs only in the total pixels and in fields of which one is needed",
    (target) => {
      const check = new drafts[target]({ strict: true }).compile(
        standard.jsonSchema.input({ target }),
      );
      for (const { field, form, good, bound } of cases) {
        if (takesFiles(model, field) || field === "form") continue;
        const isSeen = !bound.startsWith("x-total-pixels");
        expect(check(form), `${field}: ${bound} ${JSON.stringify(form).slice(0, 80)}`).toBe(
          good || !isSeen,
        );
      }
      const { example } = models.find((one) => one.model === model) ?? expect.fail(model);
      expect(check({ ...example, promt: "A fox" })).toBe(false);
    },
  );
});

test("numbers in a text, and whole numbers, have the bounds that the SDK checks", () => {
  const schema = formSchema("vidmodelv2")["~standard"];
  const check = new Ajv2020({ strict: true }).compile(
    schema.jsonSchema.input({ target: "draft-2020-12" }),
  );
  for (const form of [
    ...[24, "24", " ", 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 1.5, true].map((fps) => ({ fps })),
    ...[0, -5, 2 ** 53 - 1, 2 ** 53, 1e30, 0.5, "5"].map((seed) => ({ seed })),
    ...[true, false, "yes", 1].map((websearch) => ({ websearch })),
    ...["", " ", "A fox"].map((prompt) => ({ prompt })),
  ]) {
    const whole = { prompt: "A fox", ...form };
    expect(check(whole), JSON.stringify(form)).toBe(schema.validate(whole).issues === undefined);
  }
});

test("issues have sentences and paths", () => {
  const { validate: check } = formSchema("vidmodelv2")["~standard"];
  expect(
    check({ duration: 7, ratio: "16x9", promt: "A fox", sourceImage: [png, "first.png"] }).issues,
  ).toEqual([
    { path: ["duration"], message: "duration must be one of 5, 10 or 15, not 7." },
    { path: ["ratio"], message: expect.stringContaining('Did you mean "16:9"?') },
    { path: ["promt"], message: expect.stringContaining("Did you mean prompt?") },
    { path: ["sourceImage", 1], message: expect.stringContaining("sourceImage[1]") },
  ]);
  expect(check({}).issues).toEqual([
    { path: [], message: expect.stringContaining("form needs prompt") },
  ]);
  expect(check("A fox").issues).toEqual([
    { path: [], message: expect.stringContaining("form must be an object") },
  ]);
});

test("fields that the server sets are neither required nor accepted, nor in the JSON Schema", () => {
  const { validate: check, jsonSchema } = formSchema("imgmodelv45", {
    without: ["prompt", "batchsize"],
  })["~standard"];
  expect(check({ resolution: "2K" })).toEqual({ value: { resolution: "2K" } });
  expect(check({}).issues).toBeUndefined();
  expect(check({ batchsize: 15 }).issues).toMatchObject([
    { path: ["batchsize"], message: expect.stringMatching(/^batchsize is not a known field/) },
  ]);
  const { properties, required } = jsonSchema.input({ target: "draft-2020-12" });
  expect(Object.keys(properties as object)).toEqual([
    "category",
    "resolution",
    "sourceImage",
    "imageUrl",
  ]);
  expect(required).toEqual([]);
  // They count for a form that needs one of several.
  const video = formSchema("vidmodelv2", { without: ["prompt"] })["~standard"];
  expect(video.validate({}).issues).toBeUndefined();
  expect(video.jsonSchema.input({ target: "draft-07" })).not.toHaveProperty("anyOf");
});

describe("a schema of text", () => {
  const { validate: check } = formSchema("vidmodelv2", { from: "text", without: ["resolution"] })[
    "~standard"
  ];
  const file = new File(["GIF89a"], "first.gif", { type: "image/gif" });
  /** What browsers send of a file input without a file. */
  const noFile = new File([], "", { type: "application/octet-stream" });

  function formData(...pairs: readonly (readonly [string, string | File])[]): FormData {
    const data = new FormData();
    for (const [name, value] of pairs) data.append(name, value);
    return data;
  }

  test("reads numbers, flags and files of FormData, and leaves out what is empty", () => {
    const texts = {
      prompt: "5",
      duration: "10",
      seed: "-3",
      fps: "24",
      ratio: "",
      generate_audio: "on",
      websearch: "false",
    };
    expect(check(formData(...Object.entries(texts), ["sourceImage", noFile]))).toEqual({
      value: {
        prompt: "5",
        duration: 10,
        seed: -3,
        fps: "24",
        generate_audio: true,
        websearch: false,
      },
    });
  });

  test.for<[string, unknown, object]>([
    [
      "several files of one name",
      formData(["sourceImage", file], ["sourceImage", file]),
      { sourceImage: [file, file] },
    ],
    ["one file", formData(["sourceImage", file], ["sourceImage", noFile]), { sourceImage: file }],
    [
      "URLSearchParams",
      new URLSearchParams({ prompt: "A fox", duration: "5" }),
      { prompt: "A fox", duration: 5 },
    ],
    [
      "an object as frameworks make it of a form",
      { prompt: "A fox", duration: 5, seed: null, sourceImage: [], websearch: undefined },
      { prompt: "A fox", duration: 5 },
    ],
  ])("reads %s", ([, given, value]) => {
    expect(check(given)).toEqual({ value });
  });

  test.for<[string, unknown, field: string | undefined]>([
    ["a number that is none", formData(["seed", "five"]), "seed"],
    ["a number in hexadecimal", formData(["seed", "0x10"]), "seed"],
    ["two values of one field", formData(["prompt", "A fox"], ["prompt", "A hare"]), "prompt"],
    [
      "a chosen file that is empty",
      formData(["sourceImage", new File([], "first.png")]),
      "sourceImage",
    ],
    ["a field that the server sets", formData(["resolution", "720p"]), "resolution"],
    ["a field that does not exist", { ["__proto__x"]: "1" }, "__proto__x"],
    ["a form without a value", formData(["prompt", ""]), undefined],
    ["a text", "prompt=A fox", undefined],
    ["null", null, undefined],
    ["a list", [["prompt", "A fox"]], undefined],
  ])("rejects %s", ([, given, field]) => {
    expect(check(given).issues?.map(({ path }) => path[0])).toEqual([field]);
  });
});
