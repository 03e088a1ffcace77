/** The verbs of operations. An operation's id begins with its verb. */
export const verbs = ["generate", "query", "delete"] as const;

/** The action of an operation. */
export type Verb = "generate" | "query" | "delete";

/** The outcome of an operation, named like the document's examples. */
export type Outcome = "success" | "failure" | "insufficientCredits";

/** A field of a request, as forms need it. */
export interface Field {
  /** The JSON type, if it is not text. */
  readonly type?: string;
  /** Whether it takes several values. */
  readonly isList?: boolean;
  /** Whether it takes files. */
  readonly isFile?: boolean;
  /** Whether it is a number sent as text. */
  readonly isInteger?: boolean;
  /** Whether it is the number of results. */
  readonly isCount?: boolean;
  /** The value that the service uses if the field is missing. */
  readonly default?: unknown;
}

/** One operation as the emulator serves it. */
export interface Operation {
  /** The path of the URL. */
  readonly path: string;
  /** The operation's id. */
  readonly operation: string;
  /** The tag in lower case, such as `video`. */
  readonly kind: string;
  /** The action. */
  readonly verb: Verb;
  /** The path's last segment: the model, if the verb is generate. */
  readonly model: string;
  /** The media type of the body. */
  readonly mediaType: string;
  /** The fields of the body. */
  readonly fields: Readonly<Record<string, Field>>;
  /** The fields of the `data` of a successful response. */
  readonly record: readonly string[];
  /** The envelope's code for each outcome. */
  readonly codes: Readonly<Record<Outcome, number>>;
}

/** An error of a validator that Ajv has compiled. */
export interface ValidationError {
  /** The place of the value, as a JSON pointer. */
  readonly instancePath: string;
  /** The keyword of JSON Schema that the value breaks. */
  readonly keyword: string;
  /** The bound. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** A validator that Ajv has compiled. */
export interface Validate {
  /** @param value The value to check. */
  (value: unknown): boolean;
  /** The errors of the latest value. */
  errors?: readonly ValidationError[] | null;
}

/**
 * The operations of a service, with a validator of each request body. `npm run generate` makes
 * them.
 */
export interface Service {
  /** All operations. */
  readonly operations: readonly Operation[];
  /** The validators by the operations' ids. */
  readonly validators: Readonly<Record<string, Validate>>;
}
