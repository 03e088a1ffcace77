import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { publishedDocument } from "../../scripts/generate/published.ts";
import { isObject } from "../../packages/sdk/src/spec/is-object.ts";
import { readSpec } from "../../scripts/spec.ts";
import { yaml } from "../contract/cases.ts";

const text = await readFile("packages/sdk/openapi.gen.json", "utf8");
const published = JSON.parse(text) as {
  readonly servers: readonly object[];
  readonly components: object;
};

/** Every object of a document, with the place where it stands. */
function* objectsOf(node: unknown, place = ""): Generator<[place: string, Readonly<Record<string, unknown>>]> {
  if (isObject(node)) yield [place, node];
  if (typeof node !== "object" || node === null) return;
  for (const [key, value] of Object.entries(node)) yield* objectsOf(value, `${place}/${key}`);
}

/** The places of the objects that a test finds wrong. */
const placesThat = (isWrong: (node: Readonly<Record<string, unknown>>, place: string) => boolean) =>
  [...objectsOf(published)].flatMap(([place, node]) => (isWrong(node, place) ? place : []));

// What generators of clients stumble over: `npm run test:generators` runs them.
test("the published description refers to schemas alone", () => {
  expect(placesThat(({ $ref }) => $ref !== undefined && !String($ref).startsWith("#/components/schemas/"))).toEqual([]);
  expect(Object.keys(published.components)).toEqual(["securitySchemes", "schemas"]);
});

test("it has an enum next to each const, and a type next to each anyOf", () => {
  const valuesOf = (node: Readonly<Record<string, unknown>>) => JSON.stringify(node["enum"]);
  expect(placesThat((node) => "const" in node && valuesOf(node) !== JSON.stringify([node["const"]]))).toEqual([]);
  expect(placesThat((node) => "anyOf" in node && typeof node["type"] !== "string")).toEqual([]);
  expect(text).toContain('"const"');
  expect(text).toContain('"anyOf"');
});

test("its server is a plain URL that is said to be assumed", () => {
  expect(published.servers).toEqual([
    {
      url: expect.stringMatching(/^https:\/\/[\w.]+$/),
      description: expect.stringContaining("Not documented by the service."),
      "x-assumption": expect.any(String),
    },
  ]);
});

test("examples of addresses are quoted in the YAML, because some parsers end a plain text at its colon", () => {
  expect(yaml).not.toMatch(/: \[[^"\]\n]*https?:/);
});

test("it says the same as the YAML: each schema takes and rejects the same", () => {
  const wider = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(wider);
    if (!isObject(node)) return node;
    const { enum: values, type, ...rest } = node;
    const own = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, wider(value)]));
    // What publishing adds follows from what stands next to it.
    return { ...own, ...("const" in node ? {} : { enum: values }), ...("anyOf" in node ? {} : { type }) };
  };
  const { openapi, paths } = readSpec(yaml);
  const again = readSpec(text);
  expect(wider(again.paths)).toEqual(wider(paths));
  expect(again.openapi).toBe(openapi);
});

test("a type stands next to anyOf only if all branches have it", () => {
  const ajv = new Ajv2020();
  const schema = { anyOf: [{ type: "string" }, { type: "integer" }] };
  const document = publishedDocument({ components: { schemas: { schema } } }) as {
    readonly components: { readonly schemas: { readonly schema: object } };
  };
  const takes = ajv.compile(document.components.schemas.schema);
  expect(["text", 1, true].map((value) => takes(value))).toEqual([true, true, false]);
});
