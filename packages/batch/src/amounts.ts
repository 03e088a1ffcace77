import type { ModelInfo } from "@mediagen/sdk/node";
import type { PlannedModel } from "./options.ts";

/** Field of a form with the length of a video in seconds. */
const lengthField = "duration";

export class Amounts {
  readonly #models = new Map<string, PlannedModel>();

  get byModel(): Readonly<Record<string, PlannedModel>> {
    return Object.fromEntries(this.#models);
  }

  add({ kind, model, form: { fields } }: ModelInfo, form: Readonly<Record<string, unknown>>): void {
    const isVideo = kind === "video";
    const counts = fields.find(({ field, countsResults }) => (isVideo ? field === lengthField : countsResults));
    // A form without a field for the number of images creates one image.
    const given = counts ? (form[counts.field] ?? counts.default) : isVideo ? undefined : 1;
    const made = Number.isFinite(given) ? Number(given) : undefined;
    const [unit, least] = isVideo ? (["second", 0] as const) : (["image", 1] as const);
    const { generations, amount, open } = this.#models.get(model) ?? { generations: 0, amount: 0, open: 0 };
    this.#models.set(model, {
      generations: generations + 1,
      amount: amount + Math.max(made ?? least, least),
      unit,
      open: open + (made === undefined ? 1 : 0),
    });
  }
}
