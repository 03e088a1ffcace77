import type { ModelInfo } from "@mediagen/sdk/node";
import type { PlannedModel } from "./options.ts";

/** Field of a form with the length of a video in seconds. */
const lengthField = "duration";

export class Amounts {
  readonly #models = new Map<string, PlannedModel>();

  get byModel(): Readonly<Record<string, PlannedModel>> {
    return Object.fromEntries(this.#models);
  }

  add(
    { kind, model, form: { fields } }: ModelInfo,
    form: Readonly<Record<string, unknown>>,
    resultCount: number,
  ): void {
    const isVideo = kind === "video";
    const counts = fields.find((one) => (isVideo ? one.field === lengthField : one.countsResults));
    const given = counts && (form[counts.field] ?? counts.default);
    const seconds = Number.isFinite(given) ? Number(given) : 0;
    const made = isVideo ? seconds : resultCount;
    // A form without a field for the number of images creates one image.
    const isOpen = given === undefined && (isVideo || counts !== undefined);
    const { generations, amount, open } = this.#models.get(model) ?? {
      generations: 0,
      amount: 0,
      open: 0,
    };
    this.#models.set(model, {
      generations: generations + 1,
      amount: amount + Math.max(made, 0),
      unit: isVideo ? "second" : "image",
      open: open + (isOpen ? 1 : 0),
    });
  }
}
