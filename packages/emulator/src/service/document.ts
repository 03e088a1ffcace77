/** A JSON Schema with its references resolved. */
export interface Schema {
  readonly [keyword: string]: unknown;
  /** The JSON type. */
  readonly type?: string;
  /** The format, such as `binary`. */
  readonly format?: string;
  /** The value that the service uses if the field is missing. */
  readonly default?: unknown;
  /** The valid values. */
  readonly enum?: readonly unknown[];
  /** The schema of each item of a list. */
  readonly items?: Schema;
  /** Schemas of which at least one must match. */
  readonly anyOf?: readonly Schema[];
  /** Schemas of which exactly one must match. */
  readonly oneOf?: readonly Schema[];
  /** The schema of each field. */
  readonly properties?: Readonly<Record<string, Schema>>;
  /** The limits on width times height, in pixels. */
  readonly "x-total-pixels"?: {
    /** The minimum, inclusive. */
    readonly minimum: number;
    /** The maximum, inclusive. */
    readonly maximum: number;
  };
}

/** The part of an OpenAPI 3.1 document that the emulator reads, with its references resolved. */
export interface OpenApiDocument {
  /** The operations by path; each is a POST. */
  readonly paths: Readonly<
    Record<
      string,
      {
        /** The only operation of the path. */
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
  /** A short description. */
  readonly summary?: string;
  /** A description in Markdown. */
  readonly description?: string;
  /** The request body. */
  readonly requestBody: Body;
  /** The response bodies by HTTP status. */
  readonly responses: Readonly<Record<string, Body>>;
}

/** The body of a request or response, by media type. */
interface Body {
  readonly description?: string;
  readonly required?: boolean;
  readonly content: Readonly<Record<string, Media>>;
}

/** One media type of a body. */
interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value?: unknown }>>;
}
