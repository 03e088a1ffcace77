import type {
  Experimental_VideoModelV4CallOptions as VideoCall,
  ImageModelV4CallOptions as ImageCall,
} from "@ai-sdk/provider";
import { listModels, type ModelInfo, validate } from "@mediagen/sdk";

/** Settings of the AI SDK that a form may have a field for. */
export type Settings = Partial<
  Pick<
    VideoCall,
    "prompt" | "resolution" | "aspectRatio" | "duration" | "fps" | "seed" | "generateAudio"
  > &
    Pick<ImageCall, "size">
>;

/** A setting's fields in the order in which they are tried, and the ways to write its value. */
type Place = readonly [fields: readonly string[], spellings?: (value: string) => readonly string[]];

const sizes = (size: string) => [size, size.replace("x", "*")];

// Only these synonyms are written by hand. The SDK knows the fields of each model, and their valid
// values.
const places: Readonly<Record<keyof Settings, Place>> = {
  prompt: [["prompt"]],
  size: [["size", "resolution"], sizes],
  resolution: [["resolution"], (size) => [...sizes(size), `${Math.min(...sidesOf(size))}p`]],
  aspectRatio: [["ratio", "resolution"]],
  duration: [["duration"]],
  fps: [["fps"]],
  seed: [["seed"]],
  generateAudio: [["generate_audio"]],
};

/**
 * Fills in a model's form. Returns `left`, the settings that the model has no field for, too. A
 * value that is invalid in every spelling stays as it is, so that the SDK rejects the form before
 * anything is sent.
 */
export function fillForm(
  info: ModelInfo,
  settings: Settings,
): { readonly form: object; readonly left: string[] } {
  const fields = new Set(info.form.fields.map(({ field }) => field));
  const form: Record<string, unknown> = {};
  const left: string[] = [];
  // The cast: the keys of the table are those of the settings.
  for (const setting of Object.keys(places) as (keyof Settings)[]) {
    const value = settings[setting];
    if (value === undefined) continue;
    const [names, spellings] = places[setting];
    const free = names.filter((name) => fields.has(name) && form[name] === undefined);
    const spelled = spellings ? spellings(String(value)) : [value];
    const pairs = free.flatMap((field) => spelled.map((one) => [field, one] as const));
    const place = pairs.find(([field, one]) => takes(info, field, one)) ?? pairs[0];
    if (place) form[place[0]] = place[1];
    else left.push(setting);
  }
  const { resolution, aspectRatio } = settings;
  // A size also implies a ratio. Without it, the service's default would be billed, which may be
  // portrait.
  if (resolution !== undefined && aspectRatio === undefined && fields.has("ratio"))
    form["ratio"] = shapeOf(resolution);
  return { form, left };
}

function takes({ model }: ModelInfo, field: string, value: unknown): boolean {
  return !validate(model, { [field]: value }).some((issue) => issue.field === field);
}

/**
 * Returns the ratio of a size as the models list it, such as 16:9 for 854x480, or else the exact
 * one.
 */
function shapeOf(size: string): string {
  const [width, height] = sidesOf(size);
  const ratios = listModels().flatMap((one) =>
    one.form.fields.filter(({ field }) => field === "ratio"),
  );
  const listed = ratios
    .flatMap(({ values = [] }) => values.map(String))
    .find((ratio) => {
      const [across, down] = sidesOf(ratio);
      return Math.abs((width * down) / (height * across) - 1) < 0.01;
    });
  return listed ?? `${width}:${height}`;
}

function sidesOf(text: string): readonly [width: number, height: number] {
  const [width = Number.NaN, height = Number.NaN] = text.split(/[x:]/).map(Number);
  return [width, height];
}

/** Returns the field with the number of results, and its maximum. */
export function countField(
  info: ModelInfo,
): { readonly field: string; readonly most: number } | undefined {
  const count = info.form.fields.find(({ countsResults }) => countsResults);
  return count && { field: count.field, most: count.max ?? Number.MAX_SAFE_INTEGER };
}
