import { InvalidRequestError, type Kind, type MediaGen } from "@mediagen/sdk";
import { describeValue, issueOf, type OptionTypes, readOptions } from "@mediagen/sdk/kit";

/** A generation that a user has requested. */
export interface ProxyGeneration {
  /** The user, as `user` returned it. */
  readonly user: string;
  /** The kind of its results: video or image. */
  readonly kind: Kind;
  /** The model. */
  readonly model: string;
  /** The key that the page sent. It stays the same if a browser sends the request again. */
  readonly idempotencyKey: string;
}

/** The fields of a form. */
export type ProxyForm = Readonly<Record<string, unknown>>;

/** Options of `createMediaProxy`. */
export interface MediaProxyOptions {
  /**
   * The client that holds the API key. It needs a store, so that a request that a browser sends
   * twice generates once.
   */
  readonly media: MediaGen;
  /**
   * Returns the id of the user who sent a request, from your session. Without an id, the request is
   * rejected.
   */
  readonly user: (
    request: Request,
  ) => string | null | undefined | Promise<string | null | undefined>;
  /**
   * The secret that seals task ids, so that no user can read the task of another one. At least 32
   * random characters, the same on all your servers.
   */
  readonly secret: string;
  /**
   * Called before each generation, with its valid form. Returns the form to send, or a text for
   * the page that says why the generation is rejected. A field that it leaves out is not sent; a
   * file must be left out with `undefined`, or the generation is rejected. A request that a
   * browser sends twice calls it twice, with the same `idempotencyKey`: count by it, and return
   * the same form. If the form differs, nothing is sent and the outcome is unknown in the page.
   */
  readonly beforeGenerate?:
    | ((
        form: ProxyForm,
        generation: ProxyGeneration,
      ) => ProxyForm | string | Promise<ProxyForm | string>)
    | undefined;
  /**
   * The origins of your pages, such as `https://app.example`, if they are not that of this server.
   * @default []
   */
  readonly origins?: readonly string[] | undefined;
  /**
   * The maximum size of a form with its files, in bytes.
   * @default 20_000_000
   */
  readonly maxBytes?: number | undefined;
  /**
   * Called with each error whose details the page does not get, such as a lost response or an error
   * of your own functions. May be async. Errors that it throws are printed with `console.error`.
   * @default console.error
   */
  readonly onError?: ((error: unknown, request: Request) => void) | undefined;
}

const ofProxy: OptionTypes<MediaProxyOptions> = {
  media: "any",
  user: "function",
  secret: "any",
  beforeGenerate: "function",
  origins: "any",
  maxBytes: "number",
  onError: "function",
};
const shortestSecret = 32;
const subject = "createMediaProxy";
const expectedOrigins = 'a list of origins such as "https://app.example"';

/** Returns the options; rejects those that are not valid, and a client without a store. */
export function readProxyOptions(given: MediaProxyOptions): MediaProxyOptions {
  const options = readOptions(subject, given, ofProxy);
  const { media, user, secret, origins } = options;
  if (!media?.store)
    throw invalid(
      "media",
      "needs a store, because a browser may send a generation twice",
      "Use createMediaGen({ store }).",
    );
  if (typeof secret !== "string" || secret.length < shortestSecret)
    throw invalid("secret", "must be at least 32 random characters (not shown)");
  if (user === undefined) throw invalid("user", "must be a function, not undefined");
  // A string is not valid, because `includes` would match a part of it.
  if (origins !== undefined && !(Array.isArray(origins) && origins.every(isOrigin)))
    throw invalid("origins", `must be ${expectedOrigins}, not ${describeOrigins(origins)}`);
  return options;
}

function invalid(
  field: string,
  problem: string,
  ...advice: readonly string[]
): InvalidRequestError {
  return new InvalidRequestError(subject, [issueOf(field, "invalid", problem, ...advice)]);
}

/** Returns the id that `user` returned, or undefined if nobody is signed in. */
export function readUser(user: unknown): string | undefined {
  if (user === undefined || user === null || user === "") return undefined;
  if (typeof user === "string") return user;
  // With one value for all users, each could query the tasks of the others.
  throw invalid("user", `returned ${describeValue(user)}, not the id of a user as text`);
}

/**
 * Whether a value is an origin as browsers send it: without a path, in lower case. Apps have
 * schemes other than https.
 */
function isOrigin(value: unknown): boolean {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { protocol, host } = new URL(value);
  return value === `${protocol}//${host}`;
}

function describeOrigins(origins: unknown): string {
  return describeValue(
    Array.isArray(origins) ? origins.find((origin) => !isOrigin(origin)) : origins,
  );
}
