import { InvalidRequestError } from "@mediagen/sdk";
import type { HttpClient } from "@mediagen/sdk/http";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, describe, expect, test } from "vitest";
import { errorOf } from "../sdk/fake-service.ts";
import { boundCases, generate, models, type BoundCase } from "./cases.ts";
import { startTargets } from "./targets.ts";

const targets = await startTargets();
afterAll(() => Promise.all(targets.map((target) => target.close())));

const ajv = new Ajv2020({ strict: false, formats: { binary: true, int32: true } });
ajv.addKeyword({
  keyword: "x-total-pixels",
  validate: ({ minimum, maximum }: { minimum: number; maximum: number }, size: string) => {
    const [width = 0, height = 0] = size.split(/\D/).map(Number);
    return width * height >= minimum && width * height <= maximum;
  },
});
const schemas = new Map(models.map(({ model, form }) => [model, ajv.compile(form)]));

/** Whether the service rejects the fields, without any check of the SDK. */
async function isRejected(http: HttpClient, { model, wire }: BoundCase): Promise<boolean> {
  const operation = models.find((one) => one.model === model)?.operation;
  // The casts: the path comes from the spec, so neither body nor response is known to the compiler.
  const { data, response } = await http.POST(operation?.path as never, { body: wire } as never);
  return !response.ok || (data as unknown as { code: number }).code !== 1000;
}

/** The fields as JSON: a file is a string to the schema. */
function asJson(wire: object): unknown {
  return JSON.parse(
    JSON.stringify(wire, (_, value: unknown) => (value instanceof Blob ? "bytes" : value)),
  );
}

const nameOf = ({ field, bound, form }: BoundCase) => {
  const value = field in form ? form[field] : "nothing";
  return `${field} of ${bound.slice(0, 60)}: ${Array.isArray(value) ? `${value.length} files` : String(value).slice(0, 20)}`;
};

describe.for(targets)("$name", (target) => {
  const media = target.client("success", "key");

  describe.for(models)("$model", ({ model }) => {
    const cases = boundCases
      .filter((one) => one.model === model)
      .map((one) => ({ ...one, name: nameOf(one) }));

    test.for(cases.filter(({ good }) => good))("accepts $name", async ({ form, wire }) => {
      expect((await generate(media, model, form)).taskid).not.toBe("");
      expect(schemas.get(model)?.(asJson(wire))).toBe(true);
    });

    test.for(cases.filter(({ good }) => !good))("rejects $name", async (one) => {
      const error = await errorOf(generate(media, model, one.form));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect((error as InvalidRequestError).issues.map(({ field }) => field)).toEqual([one.field]);
      expect(schemas.get(model)?.(asJson(one.wire))).toBe(false);
      const rejects = target.rejects(one);
      if (rejects !== undefined) expect(await isRejected(target.http, one)).toBe(rejects);
    });
  });
});
