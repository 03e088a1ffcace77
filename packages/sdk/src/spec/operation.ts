export type { Kind } from "./types.gen.ts";

/** One field of a form or JSON body, with the bounds that the service's description sets. */
export interface Field {
  /** The name, such as `sourceImage`. */
  readonly field: string;
  /**
   * The part that carries its files, and the property of the form's schema that bounds them, such
   * as `sourceImage.items`.
   */
  readonly part?: string;
  /** The type of its value. The value of a flag is true or false. */
  readonly takes: "text" | "number" | "flag" | "file";
  /** The valid values, in words such as `one of 5, 10 or 15`. */
  readonly expected: string;
  readonly required?: boolean;
  readonly many?: boolean;
  /** One item of the list, in words. */
  readonly item?: string;
  /**
   * The valid values that are listed. If the field has a pattern, text that matches it is valid
   * too.
   */
  readonly values?: readonly (string | number)[];
  readonly pattern?: string;
  /** The minimum and maximum of width times height, if the pattern is that of a size. */
  readonly pixels?: readonly [minimum: number, maximum: number];
  /**
   * The minimum of a number, of the characters of a text in code points, or of the items of a list.
   */
  readonly min?: number;
  /** The maximum of the same. */
  readonly max?: number;
  /** Whether numbers must be whole. A text that is one also accepts a 32-bit number. */
  readonly isWhole?: boolean;
  readonly isImage?: boolean;
  /**
   * Whether a field for files also accepts a text, which is sent in a part of the field's own name.
   */
  readonly acceptsText?: boolean;
  readonly countsResults?: boolean;
  /** The value that the service uses if the field is missing. The SDK never sends it. */
  readonly default?: string | number;
}

/** The fields of a form or JSON body, in the order of the service's description. */
export interface FormFields {
  readonly fields: readonly Field[];
  /** Groups of fields: one of each group is needed. */
  readonly needs?: readonly (readonly string[])[];
}

/** A JSON Schema, with its title if it is that of a form or a deletion. */
type Schema = Readonly<Record<string, unknown>> & {
  readonly title?: string;
  readonly description: string;
};

/** JSON Schemas of forms and deletions, by operation, and of their fields. */
export type Schemas = Readonly<
  Record<string, Schema & { readonly properties: Readonly<Record<string, Schema>> }>
>;

export interface Operation {
  /** The id in the service's description, such as `queryVideoTask`. */
  readonly id: string;
  readonly path: string;
  readonly body: FormFields;
}

/** The operations of one kind: `generate` has that of each model. */
export interface KindOperations extends Readonly<Record<"query" | "delete", Operation>> {
  readonly generate: Readonly<Record<string, Operation>>;
  /** The field of a record that holds its status. */
  readonly statusField: string;
}

/** The suffix of the part that carries the files of a form's field, by the service's rule. */
export const filePartSuffix = ".items";

export const fieldOf = (part: string): string => part.replace(/\.items$/, "");
