import { fieldsOf, isModel, listModels, validate } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { durations, durationsInWords, models, schemaOf } from "../contract/cases.ts";

// What a rejected form says is in messages.txt, and both sides of each bound are in
// test/contract/bounds.test.ts.

const png = new Blob([Buffer.from("\x89PNG\r\n\x1a\n", "latin1")], { type: "image/png" });
const { maxLength = 0 } = schemaOf("vidmodelv2", "prompt");
const { maxItems = 0 } = schemaOf("vidmodelv2", "sourceImage.items");

test.for<[string, model: string, form: unknown, extraFields?: Record<string, string>]>([
  [
    "flags as booleans and as text",
    "vidmodelv2",
    { prompt: "x", websearch: true, generate_audio: "0" },
  ],
  ["frames as a number", "vidmodelv2", { prompt: "x", fps: 30 }],
  ["frames as text", "vidmodelv2", { prompt: "x", fps: "30" }],
  ["one file without a list", "vidmodelv2", { sourceImage: png }],
  ["a text instead of a file", "vidmodelv2", { sourceImage: "the first frame: dawn" }],
  [
    "as many code points as fit, whatever their code units",
    "vidmodelv2",
    { prompt: "🦊".repeat(maxLength) },
  ],
  [
    "a million code points, if the model has no bound",
    "vidmodelv15pro",
    { prompt: "🦊".repeat(1_000_000) },
  ],
  ["undefined next to another field", "vidmodelv2", { prompt: "x", seed: undefined }],
  [
    "an object without a prototype",
    "vidmodelv2",
    Object.assign(Object.create(null), { prompt: "x" }),
  ],
  [
    "an image URL of this machine",
    "imgmodelv4",
    { prompt: "x", imageUrl: "http://127.0.0.1/a.png" },
  ],
  [
    "an image URL with a query",
    "imgmodelv4",
    { prompt: "x", imageUrl: "https://x.example/a.png?b=%20#c" },
  ],
  [
    "several image URLs",
    "vidmodelv15pro",
    { imageUrl: "https://x.example/a.png,http://127.0.0.1/b.png" },
  ],
  [
    "extra fields of any name",
    "imgmodelz",
    { prompt: "x" },
    { constructor: "x", ["__proto__"]: "x" },
  ],
])("a form may have %s", ([, model, form, extraFields]) => {
  expect(validate(model, form as Readonly<Record<string, unknown>>, extraFields)).toEqual([]);
});

/**
 * The texts of all forms that the description does not allow to be blank, and every prompt and
 * source image.
 */
const texts = models.flatMap(({ model, form, example }) =>
  Object.entries(form.properties ?? {})
    .filter(([field, { pattern }]) => pattern !== undefined || /^(prompt|sourceImage)$/.test(field))
    .map(([field]) => ({ model, field, example })),
);

test.for(texts)(
  "a blank text, which would be billed, is rejected: $field of $model",
  ({ model, field, example }) => {
    for (const blank of ["", " ", "\n\t\u00a0\u3000\ufeff"])
      expect(validate(model, { ...example, [field]: blank }), JSON.stringify(blank)).toMatchObject([
        { field },
      ]);
  },
);

test.for([
  ["vidmodelv2", maxLength],
  ["vidmodelv15pro", 1_000_000],
] as const)(
  "a text of %s is measured as it is sent, with line breaks of two characters",
  ([model, limit]) => {
    const prompt = `xx${"\n".repeat(limit / 2 - 1)}`;
    expect(validate(model, { prompt })).toEqual([]);
    expect(validate(model, { prompt: `${prompt}x` })).toMatchObject([{ field: "prompt" }]);
  },
);

describe("the list of models", () => {
  test("has each model with its fields, and changes no check when it is changed", () => {
    expect(listModels().map(({ model }) => model)).toEqual(models.map(({ model }) => model));
    for (const { model, form } of listModels()) {
      expect(isModel(model)).toBe(true);
      expect(form.fields).toEqual(fieldsOf(model));
      expect(form.fields, model).toContainEqual(
        expect.objectContaining({ field: "prompt", takes: "text" }),
      );
      // The cast: the types let nobody change them.
      for (const field of form.fields as unknown as { max: number }[]) field.max = 1;
    }
    expect(validate("vidmodelv2", { prompt: "longer" })).toEqual([]);
  });

  test.for(["imgmodelq", "constructor", "", ["imgmodelz"]])("does not have %o", (text) => {
    expect(isModel(text as string)).toBe(false);
  });
});

test("fieldsOf has the fields of a form as people fill them in", () => {
  const images = {
    expected: `1 to ${maxItems} image files`,
    item: "an image file",
    min: 1,
    max: maxItems,
  };
  const flags = { expected: 'one of true, false, "0" or "1"', values: ["0", "1"] };
  const fields = fieldsOf("vidmodelv2");
  const field = (name: string) => fields.find((one) => one.field === name);
  const sourceImage = {
    part: "sourceImage.items",
    takes: "file",
    many: true,
    isImage: true,
    acceptsText: true,
  };
  expect(field("sourceImage")).toEqual({ field: "sourceImage", ...sourceImage, ...images });
  const fallback = schemaOf("vidmodelv2", "duration").default;
  const duration = {
    field: "duration",
    takes: "number",
    isWhole: true,
    values: durations,
    default: fallback,
  };
  expect(field("duration")).toEqual({ ...duration, expected: `one of ${durationsInWords}` });
  expect(field("websearch")).toEqual({ field: "websearch", takes: "flag", ...flags });
  expect(fieldsOf("imgmodelv45").filter(({ required }) => required)).toMatchObject([
    { field: "prompt" },
  ]);
});
