/** A JSON Schema, references resolved. */
export interface Schema {
  readonly [keyword: string]: unknown;
  /** The JSON type. */
  readonly type?: string;
  /** The format, such as `binary`. */
  readonly format?: string;
  /** The value that the service takes where the field is left out. */
  readonly default?: unknown;
  /** The only values that are taken. */
  readonly enum?: readonly unknown[];
  /** The schema of each item of a list. */
  readonly items?: Schema;
  /** Schemas of which at least one holds. */
  readonly anyOf?: readonly Schema[];
  /** Schemas of which exactly one holds. */
  readonly oneOf?: readonly Schema[];
  /** The schema of each field. */
  readonly properties?: Readonly<Record<string, Schema>>;
  /** The least and the greatest width times height, in pixels. */
  readonly "x-total-pixels"?: {
    /** The least, inclusive. */
    readonly minimum: number;
    /** The greatest, inclusive. */
    readonly maximum: number;
  };
}

/** An OpenAPI 3.1 document with its references resolved, as far as the emulator reads it. */
export interface OpenApiDocument {
  /** The operations by path; each is a POST. */
  readonly paths: Readonly<
    Record<
      string,
      {
        /** The path's one operation. */
        readonly post: OpenApiOperation;
      }
    >
  >;
}

/** An operation of the document. */
export interface OpenApiOperation {
  /** A verb (generate, query, delete) and a noun. */
  readonly operationId: string;
  /** The kind, as the one tag. */
  readonly tags: readonly string[];
  /** What it does, in a few words. */
  readonly summary?: string;
  /** What it does, in Markdown. */
  readonly description?: string;
  /** What it takes. */
  readonly requestBody: Body;
  /** What it answers, by HTTP status. */
  readonly responses: Readonly<Record<string, Body>>;
}

/** What a request or an answer carries, by media type. */
export interface Body {
  readonly description?: string;
  readonly required?: boolean;
  readonly content: Readonly<Record<string, Media>>;
}

/** One media type of a request or an answer. */
export interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value?: unknown }>>;
}
