import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { publishedDocument } from "../../scripts/generate/published.ts";
import { isObject } from "../../packages/sdk/src/spec/values.ts";
import { readSpec } from "../../scripts/spec.ts";
import { yaml } from "../contract/cases.ts";

const text = await readFile("packages/sdk/openapi.gen.json", "utf8");
const published = JSON.parse(text) as {
  readonly servers: readonly object[];
  readonly components: object;
};

/** Every object of a document, with its path. */
function* objectsOf(
  node: unknown,
  place = "",
): Generator<[place: string, Readonly<Record<string, unknown>>]> {
  if (isObject(node)) yield [place, node];
  if (typeof node !== "object" || node === null) return;
  for (const [key, value] of Object.entries(node)) yield* objectsOf(value, `${place}/${key}`);
}

/** The places of the objects that a test finds wrong. */
const placesThat = (isWrong: (node: Readonly<Record<string, unknown>>, place: string) => boolean) =>
  [...objectsOf(published)].flatMap(([place, node]) => (isWrong(node, place) ? place : []));

// What generators of clients stumble over: `npm run test:weekly -- generators` runs them.
test("the published description refers to schemas alone", () => {
  expect(
    placesThat(
      ({ $ref }) => $ref !== undefined && !String($ref).startsWith("#/components/schemas/"),
    ),
  ).toEqual([]);
  expect(Object.keys(published.components)).toEqual(["securitySchemes", "schemas"]);
});

test("it has no const, and a type next to each anyOf", () => {
  expect(placesThat((node) => "const" in node)).toEqual([]);
  expect(placesThat((node) => "anyOf" in node && typeof node["type"] !== "string")).toEqual([]);
  expect([yaml, text].map((one) => /\banyOf\b/.test(one))).toEqual([true, true]);
});

test("its server is a plain URL that is said to be assumed", () => {
  expect(published.servers).toEqual([
    {
      url: expect.stringMatching(/^https:\/\/[\w.]+$/),
      description: expect.stringContaining("not documented by the service."),
      "x-assumption": expect.any(String),
    },
  ]);
});

test("examples of URLs are quoted in the YAML, because some parsers end a plain text at its colon", () => {
  expect(yaml).not.toMatch(/: \[[^"\]\n]*https?:/);
});

test("it says the same as the YAML", () => {
  // An enum of one value is a const, and the type next to anyOf follows from its branches. The
  // anyOf of a form is left out, because generators of types would lose the form's fields.
  const plain = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(plain);
    if (!isObject(node)) return node;
    let left: string | undefined;
    if ("properties" in node) left = "anyOf";
    else if ("anyOf" in node) left = "type";
    const entries = Object.entries(node).filter(([key]) => key !== left);
    return Object.fromEntries(
      entries.map(([key, value]) => (key === "const" ? ["enum", [value]] : [key, plain(value)])),
    );
  };
  expect(plain({ ...readSpec(text), components: {} })).toEqual(
    plain({ ...readSpec(yaml), components: {} }),
  );
});

test("a type is next to anyOf only if all branches have it", () => {
  const ajv = new Ajv2020();
  const schema = { anyOf: [{ type: "string" }, { type: "integer" }] };
  const document = publishedDocument({ components: { schemas: { schema } } }) as {
    readonly components: { readonly schemas: { readonly schema: object } };
  };
  const takes = ajv.compile(document.components.schemas.schema);
  expect(["text", 1, true].map((value) => takes(value))).toEqual([true, true, false]);
});
