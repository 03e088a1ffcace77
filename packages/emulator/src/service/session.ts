/** A recorded session: its requests and responses in order, as plain JSON. It never holds the API key. */
export interface Session {
  /** The version of this JSON. */
  readonly version: 1;
  /** The requests to operations and results, each with its response. */
  readonly exchanges: readonly Exchange[];
}

/** A request and its response. */
export interface Exchange {
  /** The method and the path with its query, such as `POST /v1/image/imgmodelv4`. */
  readonly request: string;
  /** The JSON of the body; of a form, a list of names with texts, or with the size and hash of a file; null if it is neither. */
  readonly body: unknown;
  /** The response, or `"reset"` if the connection was reset. */
  readonly response: "reset" | RecordedResponse;
}

/** A response of a session. The emulator's base URL is `{base}` in it. */
export interface RecordedResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text. */
  readonly text?: string;
  /** The body as Base64, if it is not text. */
  readonly base64?: string;
}
