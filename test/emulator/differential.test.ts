import type { Service } from "@mediagen/emulator";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readSpec, type Spec } from "../../scripts/spec.ts";
import { models, yaml } from "../contract/cases.ts";
import { judgeByEmulator, judgeBySchema, judgeBySdk } from "./form-readers.ts";
import { serviceOf } from "./service-of.ts";
import { formRequests, type FormRequest } from "./form-requests.ts";

const requests = process.env["MEDIAGEN_LONG"] === undefined ? 1_000 : 100_000;

/** Compares the three readers, and throws if they disagree. Returns whether the form is accepted. */
async function compare(request: FormRequest, service?: Service): Promise<boolean> {
  const sdk = judgeBySdk(request);
  const emulator = await judgeByEmulator(request, sdk.takes, service);
  const schema = judgeBySchema(request);
  const fail = (what: string) => {
    const readers = { SDK: sdk, emulator, schema };
    const verdicts = Object.entries(readers).map(
      ([name, { takes, why }]) => `  the ${name} ${takes ? "accepts" : "rejects"} it: ${why.slice(0, 300)}`,
    );
    throw new Error([what, ...verdicts].join("\n"));
  };
  if (emulator.takes !== schema.takes) fail("The emulator and the schema disagree.");
  if (sdk.takes !== (schema.takes && !request.onlySdkRejects))
    fail(request.onlySdkRejects ? "The SDK accepts what only it can reject." : "The SDK and the others disagree.");
  // The emulator's message names every field that the SDK's would name.
  const unnamed = sdk.fields.filter((field) => field !== "form" && !emulator.why.includes(field));
  if (!schema.takes && !request.onlySdkRejects && unnamed.length > 0)
    fail(`The emulator does not name ${unnamed.join()}.`);
  return schema.takes;
}

/** Runs so many requests. Throws the smallest one on which the readers disagree. */
async function run(count: number, service?: Service): Promise<{ accepted: number; models: ReadonlySet<string> }> {
  const models = new Set<string>();
  let accepted = 0;
  const property = fc.asyncProperty(formRequests, async (request) => {
    models.add(request.model);
    if (await compare(request, service)) accepted++;
  });
  await fc.assert(property, { seed: 20_260_412, numRuns: count, includeErrorInReport: true });
  return { accepted, models };
}

test(`SDK, emulator and schemas agree on ${requests} generated forms`, async () => {
  const { accepted, models: seen } = await run(requests);
  expect(accepted / requests).toBeGreaterThan(0.3);
  expect(accepted / requests).toBeLessThan(0.7);
  expect(seen.size).toBe(models.length);
});

test.for<[string, (value: never) => unknown]>([
  ["maxLength", (most: number) => most + 1],
  ["minimum", (least: number) => least - 1],
  ["maximum", (most: number) => most + 1],
  ["maxItems", (most: number) => most + 1],
  ["anyOf", (branches: readonly unknown[]) => branches.slice(1)],
  ["required", () => []],
  ["enum", (values: readonly unknown[]) => values.slice(1)],
  ["pattern", () => "^.*$"],
  ["x-total-pixels", (bound: { maximum: number }) => ({ ...bound, maximum: bound.maximum - 1 })],
])("one wrong %s in the emulator's description is found", async ([keyword, change]) => {
  const paths = changed(readSpec(yaml).paths, keyword, change);
  const service = await serviceOf({ paths } as Pick<Spec, "paths">);
  await expect(run(3_000, service)).rejects.toThrow("The emulator and the schema disagree.");
});

/** A part of a document with every value of a schema's keyword changed. */
function changed(node: unknown, keyword: string, change: (value: never) => unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => changed(item, keyword, change));
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    key === keyword && "type" in node ? change(value as never) : changed(value, keyword, change),
  ]);
  return Object.fromEntries(entries) as object;
}
