import { runBatch } from "@mediagen/batch";
import { createEmulator } from "@mediagen/emulator";
import { InvalidRequestError, type IssueCode, type UncheckedForm, validate } from "@mediagen/sdk";
import { createMediaGen } from "@mediagen/sdk/node";
import { formSchema } from "@mediagen/sdk/schema";
import { describe, expect, test } from "vitest";
import { createBatchDirectory } from "../batch/batch-directory.ts";
import { models } from "../contract/cases.ts";
import { clientOf, errorOf } from "../sdk/fake-service.ts";

type Form = Readonly<Record<string, unknown>>;
type Options = { readonly unchecked?: true; readonly extraFields?: Readonly<Record<string, string>> };

const gif = new Blob(["GIF89a"], { type: "image/gif" });
const prompt = "A fox";

/** Generates without types, and returns the fields and codes of the rejection. Nothing was sent then. */
async function rejected(model: string, form: Form, options: Options = {}): Promise<readonly [string, IssueCode][]> {
  const { media, sent } = clientOf();
  const { unchecked, ...others } = options;
  const error = await errorOf(
    // The cast: a caller without types may pass any form.
    unchecked
      ? media.video.generate(model, form as UncheckedForm, { ...others, unchecked })
      : media.generate(model, form, others),
  );
  expect(sent()).toBe(0);
  if (!(error instanceof InvalidRequestError)) throw error;
  return error.issues.map(({ field, code }) => [field, code]);
}

/** The text fields of all forms that the description leaves open: they accept any text that is not blank. */
const openTexts = models.flatMap(({ model, form, example }) =>
  Object.entries(form.properties ?? {})
    .filter(([, { type, format, enum: values }]) => type === "string" && format !== "binary" && !values)
    .map(([field]) => ({ model, field, example })),
);

describe("a blank text is rejected, which would be billed", () => {
  test.for(openTexts)("in $model, $field", async ({ model, field, example }) => {
    for (const blank of ["", " ", "\n\t\u00a0\u3000\ufeff"])
      expect(await rejected(model, { ...example, [field]: blank }), JSON.stringify(blank)).toEqual([
        [field, "invalid"],
      ]);
  });

  test("in the prompt of a model that the SDK does not know", async () => {
    expect(await rejected("vidmodelv9", { prompt: " ", mood: "" }, { unchecked: true })).toEqual([
      ["prompt", "invalid"],
    ]);
  });

  test("by the Node entry point and the batch", async () => {
    const { charges, client } = createEmulator();
    const issues = [{ field: "prompt", code: "invalid" }];
    const call = createMediaGen(client).image.generate("imgmodelz", { prompt: " \t" });
    await expect(call).rejects.toMatchObject({ issues });
    const { write, out } = await createBatchDirectory();
    const input = await write("jobs.csv", "model,prompt,imageUrl\nimgmodelz, ,\nimgmodelv4,A fox,first.png\n");
    const fields = [{ field: "line 2, prompt" }, { field: "line 3, imageUrl" }];
    await expect(runBatch(input, out, client)).rejects.toMatchObject({ issues: fields });
    expect(charges).toEqual([]);
  });
});

describe("an image URL", () => {
  const forms = models.filter(({ form }) => form.properties?.["imageUrl"]);
  const bad = ["first.png", "C:\\a.png", "ftp://x/a.png", "", "//x/a.png", "https://", "data:image/png;base64,AAAA"];
  const two = ["https://x/a.png https://x/b.png", "https://x/a.png, https://x/b.png", " https://x/a.png"];

  test.for(forms)("of $model is an http or https URL", async ({ model, example }) => {
    for (const imageUrl of [...bad, ...two])
      expect(await rejected(model, { ...example, imageUrl }), imageUrl).toEqual([["imageUrl", "invalid"]]);
    for (const imageUrl of ["http://127.0.0.1/a.png", "https://x.example/a.png?b=%20#c"])
      expect(validate(model, { ...example, imageUrl }), imageUrl).toEqual([]);
  });

  test("is one of several, if the model takes them separated by commas", async () => {
    const urls = "https://x.example/a.png,http://127.0.0.1/b.png";
    expect(validate("vidmodelv15pro", { imageUrl: urls })).toEqual([]);
    for (const imageUrl of [`${urls},first.png`, `first.png,${urls}`, `${urls},`, `,${urls}`])
      expect(await rejected("vidmodelv15pro", { imageUrl }), imageUrl).toEqual([["imageUrl", "invalid"]]);
  });
});

describe("a video is made from a prompt or a source image", () => {
  const videos = models.filter(({ kind }) => kind === "video");

  test.for(videos)("of $model", async ({ model, form, example }) => {
    const { prompt: _, ...rest } = example;
    for (const one of [{}, rest, { prompt: undefined, sourceImage: undefined }])
      expect(await rejected(model, one)).toEqual([["form", "missing"]]);
    // A field that the SDK does not know is no prompt: { unchecked: true } is for newer models.
    expect(await rejected(model, {}, { extraFields: { text: "A fox" } })).toEqual([["form", "missing"]]);
    const url = form.properties?.["imageUrl"] ? [{ imageUrl: "https://x.example/a.png" }] : [];
    for (const one of [{ prompt }, { sourceImage: gif }, { sourceImage: "a text" }, ...url])
      expect(validate(model, { ...rest, ...one })).toEqual([]);
  });

  test("and the message names the fields that are missing", () => {
    const [issue] = validate("vidmodelv15pro", { ratio: "16:9" });
    expect(issue?.message).toMatch(/needs prompt or sourceImage or imageUrl/);
  });

  test("also if a server sets other fields, but not if it sets one of these", () => {
    const check = (without: ("prompt" | "duration")[], form: object) =>
      formSchema("vidmodelv2", { without })["~standard"].validate(form).issues?.length ?? 0;
    expect(check(["duration"], { ratio: "16:9" })).toBe(1);
    expect(check(["prompt"], { ratio: "16:9" })).toBe(0);
  });
});

describe("a text of more than 1,000,000 characters is rejected", () => {
  const tooLong = "\n".repeat(1_000_001);

  test.for<[string, string, Form, Options, string]>([
    ["in a form", "vidmodelv15pro", { prompt: tooLong }, {}, "prompt"],
    ["in extraFields", "vidmodelv2", { prompt }, { extraFields: { note: tooLong } }, "extraFields.note"],
    ["in an unchecked form", "vidmodelv9", { note: tooLong }, { unchecked: true }, "note"],
    ["in its extraFields", "vidmodelv9", { prompt }, { unchecked: true, extraFields: { x: tooLong } }, "extraFields.x"],
  ])("%s", async ([, model, form, options, field]) => {
    expect(await rejected(model, form, options)).toEqual([[field, "invalid"]]);
  });

  test("by the number of characters as sent, and the message says the limit", () => {
    const issues = (text: string) => validate("vidmodelv15pro", { prompt: text });
    expect(issues("🦊".repeat(1_000_000))).toEqual([]);
    expect(issues(`x${"\n".repeat(499_999)}`)).toEqual([]);
    expect(issues(`x${"\n".repeat(500_000)}`)).toMatchObject([{ code: "invalid", field: "prompt" }]);
    expect(issues("x".repeat(1_000_001))[0]?.message).toContain("1000000");
    expect(validate("vidmodelv2", { prompt: tooLong })[0]?.message).toContain("8192");
  });
});
