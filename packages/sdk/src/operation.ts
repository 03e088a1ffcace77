/** What is generated: a video or images. */
export type Kind = "video" | "image";

/** Both kinds. */
export const kinds: readonly Kind[] = ["video", "image"];

/**
 * The bounds of a value: the keywords of JSON Schema that the service's description uses, spelled as there.
 * `x-total-pixels` bounds width times height of an explicit size; `x-result-count` marks the field that says how many
 * results a form asks for.
 */
export interface Bounds {
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object";
  readonly format?: string;
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly items?: Bounds;
  readonly anyOf?: readonly Bounds[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Bounds>>;
  readonly "x-total-pixels"?: { readonly minimum: number; readonly maximum: number };
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
