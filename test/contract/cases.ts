import { readFile } from "node:fs/promises";
import type { AnyTask, Form, MediaGen } from "@mediagen/sdk";
import fc from "fast-check";
import {
  bodyOf,
  byKind,
  exampleOf,
  type PlacedOperation,
  readSpec,
  specFile,
  type SpecSchema,
} from "../../scripts/spec.ts";

/** The spec's text. */
export const yaml: string = await readFile(specFile, "utf8");

/** The spec's operations by kind. */
export const kinds = byKind(readSpec(yaml));

/** Every operation of the spec. */
export const operations: readonly PlacedOperation[] = kinds.flatMap((kind) => [
  ...kind.generate.values(),
  kind.query,
  kind.delete,
]);

/** Every generation model of the spec, with its form. */
export const models = kinds.flatMap(({ kind, generate }) =>
  [...generate].map(([model, operation]) => ({
    kind,
    model,
    operation,
    form: bodyOf(operation),
    example: exampleOf(operation),
  })),
);

/** What the spec says of a part of a model's form. */
export function schemaOf(model: string, part: string): SpecSchema {
  const schema = models.find((one) => one.model === model)?.form.properties?.[part];
  if (!schema) throw new Error(`the spec has no ${part} for ${model}`);
  return schema;
}

/**
 * The lengths of the videos that vidmodelv2 makes, the shortest first; the cast: the types are made
 * from the same spec.
 */
export const durations = schemaOf("vidmodelv2", "duration").enum as readonly NonNullable<
  Form<"vidmodelv2">["duration"]
>[];

/** The same, as the SDK's messages list them. */
export const durationsInWords: string = durations.join(", ").replace(/, ([^,]*)$/, " or $1");

/** Generates with a model of the spec. */
export function generate(
  media: MediaGen,
  model: string,
  form: Readonly<Record<string, unknown>>,
  extraFields: Readonly<Record<string, string>> = {},
): Promise<AnyTask> {
  return media.generate(model, form, { extraFields });
}

/** A small file that starts as a PNG does. */
export const png = new File(
  [new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])],
  "first.png",
  {
    type: "image/png",
  },
);

/** The separator of width and height if the pattern of a schema is that of a size. */
export function separatorOf({ pattern }: SpecSchema): string | undefined {
  return pattern && /^\^\[1-9\]\[0-9\]\*\\?(.)\[1-9\]\[0-9\]\*\$$/.exec(pattern)?.[1];
}

/** A value on one side of a bound. */
export interface BoundCase {
  readonly model: string;
  readonly field: string;
  /** The bound, such as `maxLength 8192`. */
  readonly bound: string;
  readonly good: boolean;
  /** The fields as the service's form has them. */
  readonly wire: Readonly<Record<string, unknown>>;
  /** The fields as the SDK takes them. */
  readonly form: Readonly<Record<string, unknown>>;
  /**
   * Who cannot see the bound: Prism reads one part of a name and no pixels, and an empty list of
   * files sends no part.
   */
  readonly hiddenFrom: "nobody" | "Prism" | "every service";
}

/** The last good and the first bad value at every bound of every form, made from the spec. */
export const boundCases: readonly BoundCase[] = models.flatMap(({ model, form, example }) => {
  const needed = form.anyOf?.flatMap(({ required = [] }) => required) ?? [];
  const base = Object.fromEntries(
    [...(form.required ?? []), ...needed.slice(0, 1)].map((name) => [name, example[name]]),
  );
  const fields = Object.entries(form.properties ?? {}).flatMap(([name, schema]) =>
    edges(schema).map(({ bound, good, value, hidden }): BoundCase => {
      let hiddenFrom: BoundCase["hiddenFrom"] = hidden ? "Prism" : "nobody";
      if (emptyList(value) && Object.keys(base).length > 0) hiddenFrom = "every service";
      return {
        model,
        field: name.replace(/\.items$/, ""),
        bound,
        good,
        wire: { ...base, [name]: value },
        form: { ...base, [name.replace(/\.items$/, "")]: value },
        hiddenFrom,
      };
    }),
  );
  const missing = (form.required ?? []).map((name): BoundCase => {
    const { [name]: _, ...rest } = base;
    return {
      ...{ model, field: name, bound: "required", good: false },
      wire: rest,
      form: rest,
      hiddenFrom: "nobody",
    };
  });
  const others = Object.fromEntries(
    Object.entries(example).filter(([name]) => !needed.includes(name)),
  );
  const ofSeveral = (
    bound: string,
    good: boolean,
    wire: object,
    given: object = wire,
  ): BoundCase => {
    return {
      ...{ model, field: "form", bound, good, hiddenFrom: "nobody" },
      wire: { ...wire },
      form: { ...given },
    };
  };
  const oneOfSeveral = needed.flatMap((name) => {
    const value = edges(schemaOf(model, name)).find(({ good }) => good)?.value ?? "A text";
    const given = { ...others, [name.replace(/\.items$/, "")]: value };
    return ofSeveral(`anyOf ${name}`, true, { ...others, [name]: value }, given);
  });
  if (form.anyOf)
    oneOfSeveral.push(ofSeveral("anyOf", false, {}), ofSeveral("anyOf", false, others));
  return [...fields, ...missing, ...oneOfSeveral];
});

type Edge = Pick<BoundCase, "bound" | "good"> & {
  readonly value: unknown;
  /** Whether Prism cannot see it. */
  readonly hidden: boolean;
};

function edges(schema: SpecSchema): Edge[] {
  if (schema.anyOf) {
    // Another branch may allow what one rejects: only good values of each branch, and a bad one for
    // all.
    const branches = schema.anyOf.map((branch) => edges(branch));
    const bad = { bound: "anyOf", good: false, value: "none-of-these", hidden: false };
    return [
      ...branches.flat().filter(({ good, bound }) => good || bound.startsWith("x-total-pixels")),
      bad,
    ];
  }
  const found: Edge[] = [];
  const add = (keyword: keyof SpecSchema, good: unknown, bad: unknown, hidden = false) => {
    const bound = `${keyword} ${JSON.stringify(schema[keyword])}`;
    found.push(
      { bound, good: true, value: good, hidden },
      { bound, good: false, value: bad, hidden },
    );
  };
  const { minimum, maximum, minLength = 0, maxLength, maxItems, minItems } = schema;
  if (minLength > 0) add("minLength", "🦊".repeat(minLength), "🦊".repeat(minLength - 1));
  if (maxLength !== undefined) {
    add("maxLength", "x".repeat(maxLength), "x".repeat(maxLength + 1));
    add("maxLength", "🦊".repeat(maxLength), "🦊".repeat(maxLength + 1));
  }
  if (minimum !== undefined) add("minimum", minimum, minimum - 1);
  if (maximum !== undefined) add("maximum", maximum, maximum + 1);
  if (maxItems !== undefined)
    add("maxItems", Array<File>(maxItems).fill(png), Array<File>(maxItems + 1).fill(png), true);
  if (minItems !== undefined) add("minItems", Array<File>(minItems).fill(png), [], true);
  for (const value of schema.enum ?? [])
    add("enum", value, typeof value === "number" ? value + 1 : `${value}x`);
  const separator = separatorOf(schema);
  const pixels = schema["x-total-pixels"];
  if (separator) add("pattern", `1x${pixels?.minimum ?? 1}`.replace("x", separator), "1024by1024");
  else if (schema.pattern)
    add(
      "pattern",
      fc.sample(fc.stringMatching(new RegExp(schema.pattern, "u")), { numRuns: 1, seed: 1 })[0],
      " ",
    );
  if (pixels) {
    const size = (width: number, height: number) => `${width}${separator}${height}`;
    const small = Math.ceil(Math.sqrt(pixels.minimum));
    const large = Math.floor(Math.sqrt(pixels.maximum));
    add("x-total-pixels", size(1, pixels.minimum), size(pixels.maximum + 1, 1), true);
    add("x-total-pixels", size(small, small), size(small - 1, small - 1), true);
    add("x-total-pixels", size(large, large), size(large + 1, large + 1), true);
  }
  if (schema.type === "integer" && !schema.enum) add("type", minimum ?? 0, 1.5);
  return found;
}

function emptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
