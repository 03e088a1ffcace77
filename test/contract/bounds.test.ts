import { createMediaGen, InvalidRequestError } from "@mediagen/sdk";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, describe, expect, test } from "vitest";
import { startMock } from "../../scripts/mock.ts";
import { boundCases, generate, models, yaml, type BoundCase } from "./cases.ts";

const mock = await startMock(yaml);
afterAll(() => mock.close());
const media = createMediaGen({
  apiKey: "key",
  baseUrl: mock.baseUrl,
  fetch: (request) => fetch(new Request(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(10_000)]) })),
});

const ajv = new Ajv2020({ strict: false, formats: { binary: true, int32: true } });
ajv.addKeyword({
  keyword: "x-total-pixels",
  validate: ({ minimum, maximum }: { minimum: number; maximum: number }, size: string) => {
    const [width = 0, height = 0] = size.split(/\D/).map(Number);
    return width * height >= minimum && width * height <= maximum;
  },
});
const schemas = new Map(models.map(({ model, form }) => [model, ajv.compile(form)]));

/** How the service judges the fields as they are, past every check of the SDK. */
async function judgeByPrism({ model, wire }: BoundCase): Promise<number> {
  const operation = models.find((one) => one.model === model)?.operation;
  // The cast: the path comes from the spec, so its body is not known to the compiler.
  const { response } = await media.http.POST(operation?.path as never, { body: wire } as never);
  return response.status;
}

/** The fields as JSON: a file is a string to the schema. */
function asJson(wire: object): unknown {
  return JSON.parse(JSON.stringify(wire, (_, value: unknown) => (value instanceof Blob ? "bytes" : value)));
}

const nameOf = ({ field, bound, form }: BoundCase) => {
  const value = field in form ? form[field] : "nothing";
  return `${field} of ${bound.slice(0, 60)}: ${Array.isArray(value) ? `${value.length} files` : String(value).slice(0, 20)}`;
};

describe.for(models)("$model", ({ model }) => {
  const cases = boundCases.filter((one) => one.model === model).map((one) => ({ ...one, name: nameOf(one) }));

  test.for(cases.filter(({ good }) => good))("takes $name", async (one) => {
    const task = await generate(media, model, one.form);
    expect(task.taskid).not.toBe("");
    expect(schemas.get(model)?.(asJson(one.wire))).toBe(true);
  });

  test.for(cases.filter(({ good }) => !good))("refuses $name", async (one) => {
    const error: unknown = await generate(media, model, one.form).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as InvalidRequestError).issues.map(({ field }) => field)).toEqual([one.field]);
    expect(schemas.get(model)?.(asJson(one.wire))).toBe(false);
    expect(await judgeByPrism(one)).toBe(one.hiddenFromPrism ? 200 : 422);
  });

  test("refuses a field that the schema leaves open", async () => {
    const form = { prompt: "A fox", promt: "A fox" };
    const error: unknown = await generate(media, model, form).catch((thrown: unknown) => thrown);
    expect(schemas.get(model)?.(form)).toBe(true);
    expect((error as InvalidRequestError).issues).toEqual([
      { field: "promt", got: '"A fox"', allowed: expect.stringContaining("prompt"), hint: "prompt" },
    ]);
  });
});
