import { validate } from "@mediagen/sdk";
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
  notFirst:
    "Ajv is code that a compiler made for this one schema, and it does not convert fields for the wire.",
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
    const given = (checker: string): Given => ({
      checker,
      warmUp: scale(500_000),
      calls: scale(2_000_000),
    });
    return [await inTurn([webSdk, ajv], scale(7), (checker) => inChild("form", given(checker)))];
  },
};

/** Each checks a form and returns whether it is valid. */
const checkers: Readonly<Record<string, () => Promise<(form: object) => boolean>>> = {
  async [webSdk]() {
    // The cast: the form is another's as far as the compiler knows, and may be wrong here.
    return (form) => validate(model, form as typeof valid).length === 0;
  },
  async [ajv]() {
    // Ajv's code for this schema: what the emulator checks forms by.
    const { validators } = await import("../../../packages/emulator/src/service/validators.gen.ts");
    return (form) => validators["generateVidmodelv2"]?.(form) === true;
  },
};

export const measurement: Measurement<Given> = async ({ checker, warmUp, calls }) => {
  const check = await checkers[checker]?.();
  if (!check?.(valid) || check(invalid))
    throw new Error(`${checker} does not tell right from wrong`);
  const millions = (form: object, count: number) => {
    const begin = performance.now();
    for (let left = count; left > 0; left--) check(form);
    return count / (performance.now() - begin) / 1_000;
  };
  millions(valid, warmUp);
  millions(invalid, warmUp);
  return { valid: millions(valid, calls), invalid: millions(invalid, calls) };
};
