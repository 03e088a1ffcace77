import { mkdir, readFile, writeFile } from "node:fs/promises";
import { validate } from "@mediagen/sdk";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import { byKind, readSpec, specFile, type SpecSchema } from "../../../scripts/spec.ts";
import { inChild, type Measurement } from "../child.ts";
import { webSdk } from "../clients.ts";
import { inTurn, type Row } from "../table.ts";

interface Given {
  readonly checker: string;
  /** Checks before anything is measured, and checks of each measurement. */
  readonly warmUp: number;
  readonly calls: number;
}

const model = "vidmodelv2";
const valid = {
  prompt: "A fox runs through snow",
  ratio: "16:9",
  duration: 5,
  seed: 42,
  resolution: "720p",
  generate_audio: "1",
} as const;
const invalid = { ...valid, ratio: "16:10", duration: 7 };
const ajv = "Ajv, standalone";

export const row: Row = {
  title: "Checking a form",
  what: `Six fields of ${model}, as they are and with two of them wrong. Both list everything that is wrong. mediagen's \`validate\` also converts the fields for the wire, and says which values are valid.`,
  notFirst: "Ajv is code that a compiler made for this one schema, and it does not convert fields for the wire.",
  tables: [
    {
      title: "Millions of checks per second",
      isDetail: true,
      columns: [
        { key: "valid", label: "valid", digits: 2, better: "more" },
        { key: "invalid", label: "invalid", digits: 2, better: "more" },
      ],
    },
  ],
  async measure(scale) {
    const given = (checker: string): Given => ({ checker, warmUp: scale(500_000), calls: scale(2_000_000) });
    return [await inTurn([webSdk, ajv], scale(7), (checker) => inChild("form", given(checker)))];
  },
};

/** Each checks a form and answers whether it holds. */
const checkers: Readonly<Record<string, (schema: SpecSchema) => Promise<(form: object) => boolean>>> = {
  async [webSdk]() {
    // The cast: the form is another's as far as the compiler knows, and may be wrong here.
    return (form) => validate(model, form as typeof valid).length === 0;
  },
  async [ajv](schema) {
    const created = new Ajv2020({ code: { source: true }, allErrors: true, strict: false });
    const code = standaloneCode.default(created, created.compile({ ...schema, additionalProperties: false }));
    // A file of the project's, from which the code finds ajv's helpers.
    const file = new URL("../../../out/bench/form.cjs", import.meta.url);
    await mkdir(new URL(".", file), { recursive: true });
    await writeFile(file, code);
    // The cast: it exports the check.
    const { default: check } = (await import(file.href)) as { readonly default: (form: object) => boolean };
    return check;
  },
};

export const measurement: Measurement<Given> = async ({ checker, warmUp, calls }) => {
  const schema = byKind(readSpec(await readFile(specFile, "utf8")))
    .flatMap(({ generate }) => [...generate])
    .find(([name]) => name === model)?.[1].requestBody.content["multipart/form-data"]?.schema;
  const check = schema && (await checkers[checker]?.(schema));
  if (!check?.(valid) || check(invalid)) throw new Error(`${checker} does not tell right from wrong`);
  const millions = (form: object, count: number) => {
    const begin = performance.now();
    for (let left = count; left > 0; left--) check(form);
    return count / (performance.now() - begin) / 1_000;
  };
  millions(valid, warmUp);
  millions(invalid, warmUp);
  return { valid: millions(valid, calls), invalid: millions(invalid, calls) };
};
