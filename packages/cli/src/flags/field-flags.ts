import type { Field, ModelInfo } from "@mediagen/sdk";
import type { Schemas } from "@mediagen/sdk/kit";
import type { Flag } from "./flags.ts";

/** The field that the command's argument fills. */
export const argumentField = "prompt";

const imageFlag = "image";

/**
 * Returns a flag for each field of a kind's models: its name in kebab-case, with `form-` before it
 * if it is one of `taken`. The first field that takes files is also called `--image`, and comes
 * first.
 */
export function fieldFlags(
  models: readonly ModelInfo[],
  schemas: Schemas,
  taken: readonly Flag[],
): readonly Flag[] {
  const isFree = (name: string) =>
    ![...taken, { name: "help" }].some((one) => one.name.replace(/^no-/, "") === name);
  const all = models
    .flatMap((model) => model.form.fields.map((info) => ({ model, info })))
    .filter(({ info }) => info.field !== argumentField);
  const files = all.find(({ info }) => info.takes === "file")?.info.field;
  const fields = new Set(
    all.map(({ info }) => info.field).sort((a, b) => Number(b === files) - Number(a === files)),
  );
  return [...fields].flatMap((field): readonly Flag[] => {
    const having = all.filter(({ info }) => info.field === field);
    const ofModels = new Map(having.map(({ model, info }) => [model.model, info]));
    const described = having
      .map(({ model }) => schemas[model.operation]?.properties[field]?.description)
      .find(Boolean);
    const kebab = field.replace(/[A-Z]/g, "-$&").replaceAll("_", "-").toLowerCase();
    const name = isFree(kebab) && !kebab.startsWith("no-") ? kebab : `form-${kebab}`;
    const infos = [...ofModels.values()];
    const isSwitch = infos.every(({ takes }) => takes === "flag");
    const limits = isSwitch ? `--no-${name} is the opposite` : limitsOf(ofModels, models.length);
    const text = `${firstSentence(described ?? "")} (${limits})`;
    const common = {
      field,
      models: ofModels,
      isMany: infos.some((info) => info.many || info.takes === "file"),
    };
    const off = { ...common, name: `no-${name}`, isOff: true, text: `the opposite of --${name}` };
    if (isSwitch) return [{ ...common, name, text }, off];
    const takes = infos[0]?.takes === "file" ? "file|url" : infos[0]?.takes;
    const flag = { ...common, name, takes, text };
    if (field !== files || name === imageFlag || !isFree(imageFlag)) return [flag];
    return [
      { ...flag, name: imageFlag },
      { ...flag, text: `the same as --${imageFlag}` },
    ];
  });
}

/** Returns the valid values if the models agree, and which models have the field if not all do. */
function limitsOf(infos: ReadonlyMap<string, Field>, modelsInAll: number): string {
  const limits = new Set([...infos.values()].map(({ expected }) => expected));
  const models = infos.size === modelsInAll ? "" : `; only ${[...infos.keys()].join(", ")}`;
  return (limits.size === 1 ? [...limits].join("") : "valid values depend on the model") + models;
}

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/.exec(text)?.[0].slice(0, -1) ?? text;
}
