import type { Kind } from "./types.gen.ts";

export type { Kind } from "./types.gen.ts";

/**
 * The bounds of a value: the keywords of JSON Schema that the service's description uses, spelled as there.
 * `x-total-pixels` bounds width times height of an explicit size; `x-result-count` marks the field that says how many
 * results a form asks for.
 */
export interface Bounds {
  /** The JSON type. */
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object";
  /** The format: `binary` for a file, `int32` for a number in a string. */
  readonly format?: string;
  /** The media type of a file, such as `image/*`. */
  readonly contentMediaType?: string;
  /** The only values that are taken. */
  readonly enum?: readonly (string | number)[];
  /** A regular expression that the text matches. */
  readonly pattern?: string;
  /** The fewest characters, counted in code points. */
  readonly minLength?: number;
  /** The most characters, counted in code points. */
  readonly maxLength?: number;
  /** The least number. */
  readonly minimum?: number;
  /** The greatest number. */
  readonly maximum?: number;
  /** The fewest items of a list. */
  readonly minItems?: number;
  /** The most items of a list. */
  readonly maxItems?: number;
  /** The fewest fields. */
  readonly minProperties?: number;
  /** The bounds of each item of a list. */
  readonly items?: Bounds;
  /** Bounds of which one must hold. */
  readonly anyOf?: readonly Bounds[];
  /** The fields that must be there. */
  readonly required?: readonly string[];
  /** The bounds of each field, by the name of its part or JSON key. */
  readonly properties?: Readonly<Record<string, Bounds>>;
  /** What the service takes if the field is left out. The SDK never sends it. */
  readonly default?: unknown;
  /** The least and the greatest width times height, in pixels. */
  readonly "x-total-pixels"?: {
    /** The least, inclusive. */
    readonly minimum: number;
    /** The greatest, inclusive. */
    readonly maximum: number;
  };
  /** Whether the field says how many results are asked for. */
  readonly "x-result-count"?: boolean;
}

/** One operation of the service. */
export interface Operation {
  /** The operation's id in the service's description, such as `queryVideoTask`. */
  readonly id: string;
  /** The path below the base URL. */
  readonly path: string;
  /** The bounds of the form or JSON body. */
  readonly body: Bounds;
}

/** What one can ask of one kind. */
export interface KindOperations {
  /** The generation operation of each model. */
  readonly generate: Readonly<Record<string, Operation>>;
  readonly query: Operation;
  readonly delete: Operation;
  /** The field of a record that holds its status. */
  readonly statusField: string;
}

/** Every operation of the service, by kind. */
export type Operations = Readonly<Record<Kind, KindOperations>>;

/** The code of the envelope for each outcome. */
export interface Codes {
  readonly success: number;
  readonly failure: number;
  readonly insufficientCredits: number;
}
