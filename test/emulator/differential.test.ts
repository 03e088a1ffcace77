import type { Service } from "@mediagen/emulator";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readSpec, type Spec } from "../../scripts/spec.ts";
import { models, yaml } from "../contract/cases.ts";
import { judgeByEmulator, judgeBySchema, judgeBySdk } from "./form-readers.ts";
import { serviceOf } from "./service-of.ts";
import { classes, formRequests, type FormRequest, type RequestClass } from "./form-requests.ts";

const long = process.env["MEDIAGEN_LONG"] !== undefined;
const requests = long ? 100_000 : 800;

// The cast: a record has the keys of its type.
const names = Object.keys(classes) as RequestClass[];

interface Count {
  taken: number;
  rejected: number;
  readonly places: Set<string>;
}

/** Holds the three readers against each other; throws where they disagree. */
async function compare(request: FormRequest, service?: Service): Promise<boolean> {
  const sdk = judgeBySdk(request);
  const emulator = await judgeByEmulator(request, sdk.takes, service);
  const schema = judgeBySchema(request);
  const fail = (what: string) => {
    const told = { SDK: sdk, emulator, schema };
    const verdicts = Object.entries(told).map(
      ([name, { takes, why }]) => `  the ${name} ${takes ? "takes" : "refuses"} it: ${why.slice(0, 300)}`,
    );
    throw new Error([what, ...verdicts].join("\n"));
  };
  if (emulator.takes !== schema.takes) fail("The emulator and the schema disagree.");
  if (sdk.takes !== (schema.takes && !request.onlySdkRefuses))
    fail(request.onlySdkRefuses ? "The SDK takes what only it can refuse." : "The SDK and the others disagree.");
  // Whoever reads the emulator's message finds every field that the SDK would have named.
  const unnamed = sdk.fields.filter((field) => field !== "form" && !emulator.why.includes(field));
  if (!schema.takes && !request.onlySdkRefuses && request.class !== "several" && unnamed.length > 0)
    fail(`The emulator does not name ${unnamed.join()}.`);
  return schema.takes;
}

/** Runs so many requests. Throws the smallest one on which the readers disagree. */
async function run(count: number, service?: Service): Promise<ReadonlyMap<RequestClass, Count>> {
  const counts = new Map(
    names.map((name): [RequestClass, Count] => [name, { taken: 0, rejected: 0, places: new Set() }]),
  );
  const property = fc.asyncProperty(formRequests, async (request) => {
    const counted = counts.get(request.class);
    counted?.places.add(`${request.model} ${request.field}`);
    if (await compare(request, service)) counted && counted.taken++;
    else counted && counted.rejected++;
  });
  await fc.assert(property, { seed: 20_260_412, numRuns: count, includeErrorInReport: true });
  return counts;
}

test(`SDK, emulator and schemas agree on ${requests} generated forms`, async () => {
  const counts = await run(requests);
  const share = requests / names.length;
  for (const [name, { taken, rejected }] of counts) {
    const least = { taken: share / 2, rejected: share / 2, both: share / 5 }[classes[name]];
    if (classes[name] === "rejected") expect(taken, name).toBe(0);
    else expect(taken, name).toBeGreaterThan(least);
    if (classes[name] === "taken") expect(rejected, name).toBe(0);
    else expect(rejected, name).toBeGreaterThan(least);
  }
  const places = [...counts.values()].flatMap((count) => [...count.places]);
  expect(new Set(places.map((place) => place.split(" ")[0])), "every model was asked").toHaveLength(models.length);
}, 120_000);

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
