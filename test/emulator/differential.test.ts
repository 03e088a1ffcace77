import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { createEmulator } from "@mediagen/emulator";
import { validate } from "@mediagen/sdk";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SpecSchema } from "../../scripts/spec.ts";
import { boundCases, models } from "../contract/cases.ts";

const requests = process.env["MEDIAGEN_LONG"] === undefined ? 1_000 : 100_000;

/** A form as the SDK receives it, and as its parts on the wire have it. */
interface FormRequest {
  readonly model: string;
  readonly form: Readonly<Record<string, unknown>>;
  readonly wire: Readonly<Record<string, unknown>>;
}

const odd = '\n|\u2028|\0|\u{feff}|e\u0301|👩‍👩‍👧|\u{10ffff}|ﷺ|%0D%0A|"|\\|--b|💩'.split("|");
const character = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code).toWellFormed());
const oddText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...odd),
      fc.string({ unit: character, maxLength: 4 }),
      fc.constant("x"),
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((pieces) => pieces.join("").replaceAll(/\r\n?|\n/g, "\r\n"));

/**
 * Values at the bounds of a model's fields: any number of good ones, and in half of the forms a bad
 * one. Some prompts are odd.
 */
const forms: fc.Arbitrary<FormRequest> = fc.constantFrom(...models).chain(({ model }) => {
  const cases = boundCases.filter(
    (one) => one.model === model && one.hiddenFrom !== "every service",
  );
  const merge = (all: readonly (typeof cases)[number][]) =>
    all.reduce(
      (sum, { form, wire }) => ({
        model,
        form: { ...sum.form, ...form },
        wire: { ...sum.wire, ...wire },
      }),
      {
        model,
        form: {},
        wire: {},
      },
    );
  const good = cases.filter((one) => one.good);
  return fc
    .tuple(
      fc.subarray(good, { maxLength: Math.min(4, good.length) }),
      fc.constantFrom(...cases),
      fc.option(oddText),
    )
    .map(([some, last, prompt]) => {
      // A field that is missing or one of several stays so: such a case is a form of its own.
      const isWhole = last.field === "form" || last.bound === "required";
      // A field has one value only, so that good ones hide no bad one.
      const others = some.filter(({ field }) => field !== last.field && field !== "form");
      const { form, wire } = merge(isWhole ? [last] : [...others, last]);
      const text = prompt === null || isWhole || last.field === "prompt" ? {} : { prompt };
      return { model, form: { ...form, ...text }, wire: { ...wire, ...text } };
    });
});

/** The form as the runtime's own FormData, so that nothing of the SDK is in between. */
function formDataOf(wire: FormRequest["wire"]): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(wire))
    for (const one of [value].flat()) data.append(name, one instanceof File ? one : String(one));
  return data;
}

async function acceptedByEmulator({
  model,
  wire,
}: FormRequest): Promise<readonly [boolean, string]> {
  // Only the spec counts here, not the emulator's own limits.
  const emulator = createEmulator({ limits: { text: Infinity, pixels: Infinity } });
  const path = models.find((one) => one.model === model)?.operation.path ?? "";
  const { client } = emulator;
  const init = {
    method: "POST",
    headers: { authorization: client.apiKey },
    body: formDataOf(wire),
  };
  const response = await emulator.fetch(client.baseUrl + path, init);
  const { code, msg } = (await response.json()) as { code: number; msg: string };
  expect([response.status, [1000, 9999].includes(code)]).toEqual([200, true]);
  return [code === 1000, msg];
}

// The cast: the validator's type of a schema has fewer keywords than it reads.
const schemas = new Map(
  models.map(({ model, form }) => [model, new Validator(form as Schema, "2020-12", false)]),
);

/**
 * Reads the bare schema with another validator than the emulator's. It knows no bound of pixels.
 */
function acceptedBySchema({ model, wire }: FormRequest): readonly [boolean, string] {
  const properties = models.find((one) => one.model === model)?.form.properties ?? {};
  const json = JSON.parse(
    JSON.stringify(wire, (_, one: unknown) => (one instanceof Blob ? "a file" : one)),
  ) as object;
  const { valid, errors } = schemas.get(model)?.validate(json) ?? expect.fail(model);
  const pixelsFit = Object.entries(json).every(([name, value]) =>
    fitsPixels(properties[name] ?? {}, String(value)),
  );
  const where = ({ instanceLocation, error }: OutputUnit) => `${instanceLocation} ${error}`;
  return [valid && pixelsFit, errors.map(where).join("; ")];
}

function fitsPixels(schema: SpecSchema, size: string): boolean {
  const [width = 0, height = 0] = size.split(/\D/).map(Number);
  const branches = (schema.anyOf ?? [schema]).filter(
    (one) => new Validator(one as Schema, "2020-12").validate(size).valid,
  );
  const fits = ({ "x-total-pixels": bound }: SpecSchema) =>
    !bound || (width * height >= bound.minimum && width * height <= bound.maximum);
  return branches.length === 0 || branches.some(fits);
}

/**
 * Runs so many forms past the SDK, the emulator and the schema. Throws the smallest one on which
 * they disagree.
 */
async function run(count: number): Promise<number> {
  let accepted = 0;
  const property = fc.asyncProperty(forms, async (request) => {
    const issues = validate(request.model, { ...request.form });
    const [emulator, said] = await acceptedByEmulator(request);
    const [schema, why] = acceptedBySchema(request);
    const fail = (who: string) =>
      new Error(`${who} and the schema disagree: ${JSON.stringify([issues, said, why])}`);
    if (emulator !== schema) throw fail("The emulator");
    if ((issues.length === 0) !== schema) throw fail("The SDK");
    // The emulator's message names every field that the SDK's names.
    for (const { field } of issues)
      expect(said).toContain(field === "form" ? "" : field.replace(/\[\d+\]$/, ""));
    if (schema) accepted++;
  });
  await fc.assert(property, { seed: 20_260_412, numRuns: count, includeErrorInReport: true });
  return accepted;
}

test(`SDK, emulator and schema agree on ${requests} generated forms`, async () => {
  const accepted = await run(requests);
  expect(accepted / requests).toBeGreaterThan(0.3);
  expect(accepted / requests).toBeLessThan(0.7);
});
