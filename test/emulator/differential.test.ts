import type { Service } from "@mediagen/emulator";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
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

/** Runs so many requests; throws the smallest one that the readers disagree on, told so that a person can read it. */
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
  const { failed, counterexample, errorInstance, numRuns, numShrinks, seed, counterexamplePath } = await fc.check(
    property,
    { seed: 20_260_412, numRuns: count },
  );
  if (!failed) return counts;
  const where = `request ${numRuns}, made smaller ${numShrinks} times (seed ${seed}, path ${counterexamplePath})`;
  throw new Error(`${counterexample ? describeRequest(counterexample[0]) : ""}\n${String(errorInstance)}\n  ${where}`, {
    cause: errorInstance,
  });
}

function describeRequest({ class: name, model, field, form, parts, extraFields }: FormRequest): string {
  const sent = parts.map(
    ({ name: part, value }) =>
      `${part}=${typeof value === "string" ? brief(value) : `file ${brief(value.fileName)} (${value.type})`}`,
  );
  const given = Object.entries({ ...form, ...extraFields }).map(([key, value]) => `${key}: ${brief(value)}`);
  return `${model}${field && `, ${field}`} (${name})\n  given { ${given.join(", ")} }\n  sent  ${sent.join(" ")}`;
}

function brief(value: unknown): string {
  if (value instanceof Blob) return "a file";
  if (Array.isArray(value)) return `[${value.map(brief).join(", ")}]`;
  if (typeof value !== "string") return String(value);
  return value.length > 60
    ? `${JSON.stringify(value.slice(0, 20))}... (${[...value].length} characters)`
    : JSON.stringify(value);
}

test(`SDK, emulator and schemas agree on ${requests} generated forms`, async () => {
  const counts = await run(requests);
  const lines = [...counts].map(
    ([name, { taken, rejected, places }]) =>
      `${name}: ${taken} taken, ${rejected} rejected, about ${places.size} fields or models`,
  );
  console.log(`${requests} forms, 0 disagreements\n  ${lines.join("\n  ")}`);
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

describe("one wrong bound in the emulator's document is found, and told by a small form", () => {
  test.for([
    ["maxLength", (most: number) => most + 1],
    ["minimum", (least: number) => least - 1],
    ["maximum", (most: number) => most + 1],
    ["maxItems", (most: number) => most + 1],
    ["anyOf", (branches: readonly unknown[]) => branches.slice(1)],
    ["required", () => []],
    ["enum", (values: readonly unknown[]) => values.slice(1)],
    ["pattern", () => "^.*$"],
    [
      "x-total-pixels",
      ({ minimum, maximum }: { minimum: number; maximum: number }) => ({ minimum, maximum: maximum - 1 }),
    ],
  ] as const)("%s", async ([keyword, change]) => {
    const paths = changed(readSpec(yaml).paths, keyword, change as (value: never) => unknown);
    const error: unknown = await run(3_000, await serviceOf({ paths } as Pick<Spec, "paths">)).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(Error);
    const { message } = error as Error;
    expect(message).toContain("The emulator and the schema disagree.");
    expect(message.match(/^  given \{(.*)\}$/m)?.[1]?.split(", ").length, message).toBeLessThanOrEqual(4);
  });
});

/** A part of a document with every value of a schema's keyword changed. */
function changed(node: unknown, keyword: string, change: (value: never) => unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => changed(item, keyword, change));
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === keyword && "type" in node ? change(value as never) : changed(value, keyword, change),
    ]),
  );
}
