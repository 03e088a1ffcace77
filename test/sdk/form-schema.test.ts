import { fieldsOf, InvalidRequestError, isModel, listModels, type Model, validate } from "@mediagen/sdk";
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

  test("is a Standard Schema and a Standard JSON Schema of version 1", () => {
    expect(standard).toEqual({
      version: 1,
      vendor: "mediagen",
      validate: expect.any(Function),
      jsonSchema: { input: expect.any(Function), output: expect.any(Function) },
    });
  });

  test("finds what validate finds, and returns a valid form as it is", () => {
    for (const { model: other, form, good } of boundCases) {
      if (other !== model) continue;
      const result = standard.validate(form);
      expect(result.issues?.length ?? 0).toBe(validate(model, form).length);
      if (good) expect("value" in result && result.value).toBe(form);
    }
  });

  test.each(["draft-2020-12", "draft-07"] as const)(
    "as JSON Schema of %s passes Ajv's strict mode, and differs only in the total pixels and in fields of which one is needed",
    (target) => {
      const check = new drafts[target]({ strict: true }).compile(standard.jsonSchema.input({ target }));
      for (const { model: other, field, form, good, bound } of boundCases) {
        if (other !== model || takesFiles(model, field) || field === "form") continue;
        const isSeen = !bound.startsWith("x-total-pixels");
        expect(check(form), `${field}: ${bound} ${JSON.stringify(form).slice(0, 80)}`).toBe(good || !isSeen);
      }
      const { example } = models.find((one) => one.model === model) ?? expect.fail(model);
      expect(check({ ...example, promt: "A fox" })).toBe(false);
    },
  );
});

test("numbers in a text, and whole numbers, have the bounds that the SDK checks", () => {
  const schema = formSchema("vidmodelv2")["~standard"];
  const check = new Ajv2020({ strict: true }).compile(schema.jsonSchema.input({ target: "draft-2020-12" }));
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

test("another target of JSON Schema is rejected", () => {
  const { jsonSchema } = formSchema("imgmodelz")["~standard"];
  expect(() => jsonSchema.input({ target: "openapi-3.0" })).toThrow(
    'target must be draft-2020-12 or draft-07, not "openapi-3.0"',
  );
});

test("issues have sentences and paths", () => {
  const { validate: check } = formSchema("vidmodelv2")["~standard"];
  expect(check({ duration: 7, ratio: "16x9", promt: "A fox", sourceImage: [png, "first.png"] }).issues).toEqual([
    { path: ["duration"], message: "duration must be one of 5, 10 or 15, not 7." },
    { path: ["ratio"], message: expect.stringContaining('Did you mean "16:9"?') },
    { path: ["promt"], message: expect.stringContaining("Did you mean prompt?") },
    { path: ["sourceImage", 1], message: expect.stringContaining("sourceImage[1]") },
  ]);
  expect(check({}).issues).toEqual([{ path: [], message: expect.stringContaining("form needs prompt") }]);
  expect(check("A fox").issues).toEqual([{ path: [], message: expect.stringContaining("form must be an object") }]);
});

describe("fields that the server sets", () => {
  const { validate: check, jsonSchema } = formSchema("imgmodelv45", { without: ["prompt", "batchsize"] })["~standard"];

  test("are neither required nor accepted", () => {
    expect(check({ resolution: "2K" })).toEqual({ value: { resolution: "2K" } });
    expect(check({}).issues).toBeUndefined();
    expect(check({ batchsize: 15 }).issues).toEqual([
      { path: ["batchsize"], message: expect.stringMatching(/^batchsize is not a known field/) },
    ]);
  });

  test("are not in the JSON Schema", () => {
    const { properties, required } = jsonSchema.input({ target: "draft-2020-12" });
    expect(Object.keys(properties as object)).toEqual(["category", "resolution", "sourceImage", "imageUrl"]);
    expect(required).toEqual([]);
  });

  test("count for a form that needs one of several", () => {
    const schema = formSchema("vidmodelv2", { without: ["prompt"] })["~standard"];
    expect(schema.validate({}).issues).toBeUndefined();
    expect(schema.jsonSchema.input({ target: "draft-07" })).not.toHaveProperty("anyOf");
  });

  test.for<[string, object]>([
    ["without must be one of category, prompt, batchsize", { without: ["batchsiz"] }],
    ["witout is not a known option. Did you mean without?", { witout: ["batchsize"] }],
  ])("%s: a mistake in the options is rejected, because it would leave a field open", ([message, options]) => {
    expect(() => formSchema("imgmodelv45", options)).toThrow(message);
    expect(() => formSchema("imgmodelv45", options)).toThrow(InvalidRequestError);
  });
});

test("a model that does not exist is rejected", () => {
  // @ts-expect-error -- the compiler rejects it as well
  expect(() => formSchema("vidmodelx")).toThrow(InvalidRequestError);
});

describe("a schema of text", () => {
  const { validate: check } = formSchema("vidmodelv2", { from: "text", without: ["resolution"] })["~standard"];
  const file = new File(["GIF89a"], "first.gif", { type: "image/gif" });
  /** What browsers send of a file input without a file. */
  const noFile = new File([], "", { type: "application/octet-stream" });

  function formData(...pairs: readonly (readonly [string, string | File])[]): FormData {
    const data = new FormData();
    for (const [name, value] of pairs) data.append(name, value);
    return data;
  }

  test("reads numbers, flags and files of FormData, and leaves out what is empty", () => {
    const data = formData(
      ["prompt", "5"],
      ["duration", "10"],
      ["seed", "-3"],
      ["fps", "24"],
      ["ratio", ""],
      ["generate_audio", "on"],
      ["websearch", "false"],
      ["sourceImage", noFile],
    );
    expect(check(data)).toEqual({
      value: { prompt: "5", duration: 10, seed: -3, fps: "24", generate_audio: true, websearch: false },
    });
  });

  test("reads several files of one name as a list, one as a file", () => {
    expect(check(formData(["sourceImage", file], ["sourceImage", file]))).toEqual({
      value: { sourceImage: [file, file] },
    });
    expect(check(formData(["sourceImage", file], ["sourceImage", noFile]))).toEqual({ value: { sourceImage: file } });
  });

  test("reads URLSearchParams, and objects as frameworks make them of forms", () => {
    expect(check(new URLSearchParams({ prompt: "A fox", duration: "5" }))).toEqual({
      value: { prompt: "A fox", duration: 5 },
    });
    expect(check({ prompt: "A fox", duration: 5, seed: null, sourceImage: [], websearch: undefined })).toEqual({
      value: { prompt: "A fox", duration: 5 },
    });
  });

  test.for<[string, FormData | object | string, string]>([
    ["a number that is none", formData(["seed", "five"]), "seed"],
    ["a number in hexadecimal", formData(["seed", "0x10"]), "seed"],
    ["two values of one field", formData(["prompt", "A fox"], ["prompt", "A hare"]), "prompt"],
    ["a chosen file that is empty", formData(["sourceImage", new File([], "first.png")]), "sourceImage"],
    ["a field that the server sets", formData(["resolution", "720p"]), "resolution"],
    ["a field that does not exist", { ["__proto__x"]: "1" }, "__proto__x"],
  ])("rejects %s", ([, given, field]) => {
    expect(check(given).issues?.map(({ path }) => path[0])).toEqual([field]);
  });

  test("rejects a form without a value, and what is not a form", () => {
    const all = formSchema("vidmodelv2", { from: "text" })["~standard"];
    expect(all.validate(formData(["prompt", ""])).issues).toEqual([
      { path: [], message: expect.stringContaining("form needs prompt") },
    ]);
    for (const given of ["prompt=A fox", null, [["prompt", "A fox"]]])
      expect(all.validate(given).issues).toHaveLength(1);
  });
});
