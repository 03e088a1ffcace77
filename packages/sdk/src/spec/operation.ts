import type { Kind } from "./types.gen.ts";

export type { Kind } from "./types.gen.ts";

/**
 * The bounds of a value, in the keywords of JSON Schema that the service's description uses. `x-total-pixels` bounds
 * width times height of an explicit size. `x-result-count` marks the field that sets the number of results.
 */
export interface Bounds {
  /** The JSON type. */
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object";
  /** The format: `binary` for a file, `int32` for a number in a string. */
  readonly format?: string;
  /** The media type of a file, such as `image/*`. */
  readonly contentMediaType?: string;
  /** The only valid values. */
  readonly enum?: readonly (string | number)[];
  /** A regular expression that the text matches. */
  readonly pattern?: string;
  /** The minimum number of characters, counted in code points. */
  readonly minLength?: number;
  /** The maximum number of characters, counted in code points. */
  readonly maxLength?: number;
  /** The minimum of a number. */
  readonly minimum?: number;
  /** The maximum of a number. */
  readonly maximum?: number;
  /** The minimum number of items of a list. */
  readonly minItems?: number;
  /** The maximum number of items of a list. */
  readonly maxItems?: number;
  /** The bounds of each item of a list. */
  readonly items?: Bounds;
  /** Bounds of which at least one must hold. Those of a form each require one field. */
  readonly anyOf?: readonly Bounds[];
  /** The required fields. */
  readonly required?: readonly string[];
  /** The bounds of each field, by the name of its part or JSON key. */
  readonly properties?: Readonly<Record<string, Bounds>>;
  /** The value that the service uses if the field is missing. The SDK never sends it. */
  readonly default?: unknown;
  /** The minimum and maximum of width times height, in pixels. */
  readonly "x-total-pixels"?: {
    /** The minimum, inclusive. */
    readonly minimum: number;
    /** The maximum, inclusive. */
    readonly maximum: number;
  };
  /** Whether the field sets the number of results. */
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

/** The operations of one kind. */
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
