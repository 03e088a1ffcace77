import type { MediaGen } from "../client/media-gen.ts";
import { readOptions } from "../errors/read-options.ts";
import { invalidRequest } from "../errors/errors.ts";
import { describeValue } from "../errors/issue.ts";
import type { Kind } from "../spec/operation.ts";

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
  /** The client that holds the API key. It needs a store, so that a request that a browser sends twice generates once. */
  readonly media: MediaGen;
  /** Returns the id of the user who sent a request, from your session. Without an id, the request is rejected. */
  readonly user: (request: Request) => string | null | undefined | Promise<string | null | undefined>;
  /**
   * The secret that seals task ids, so that no user can read the task of another one. At least 32 random characters,
   * the same on all your servers.
   */
  readonly secret: string;
  /**
   * Called before each generation, with its valid form. Returns the form to send, or a text for the page that says why
   * the generation is rejected. A request that a browser sends twice calls it twice, with the same `idempotencyKey`:
   * count by it, and return the same form. If the form differs, nothing is sent and the outcome is unknown in the page.
   */
  readonly beforeGenerate?:
    | ((form: ProxyForm, generation: ProxyGeneration) => ProxyForm | string | Promise<ProxyForm | string>)
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
   * Called with each error whose details the page does not get, such as a lost response or an error of your own
   * functions. May be async. Errors that it throws are printed with `console.error`.
   * @default console.error
   */
  readonly onError?: ((error: unknown, request: Request) => void) | undefined;
}

const optionNames = ["media", "user", "secret", "beforeGenerate", "origins", "maxBytes", "onError"];
const shortestSecret = 32;
const subject = "createMediaProxy";
const expectedOrigins = 'a list of origins such as "https://app.example"';

/** Returns the options; rejects those that are not valid, and a client without a store. */
export function readProxyOptions(given: MediaProxyOptions): MediaProxyOptions {
  const options = readOptions(subject, given, optionNames);
  const { media, user, secret, beforeGenerate, origins } = options;
  if (!media?.store)
    throw invalidRequest(subject, "media", "notAllowed", "no store", "createMediaGen({ store })", "", {
      problem: "needs a store, because a browser may send a generation twice",
    });
  if (typeof secret !== "string" || secret.length < shortestSecret)
    throw invalidRequest(subject, "secret", "wrongFormat", "a value (not shown)", "at least 32 random characters");
  const functions = beforeGenerate === undefined ? { user } : { user, beforeGenerate };
  for (const [name, value] of Object.entries(functions))
    if (typeof value !== "function")
      throw invalidRequest(subject, name, "wrongType", describeValue(value), "a function");
  // A string is not valid, because `includes` would match a part of it.
  if (origins !== undefined && !(Array.isArray(origins) && origins.every(isOrigin)))
    throw invalidRequest(subject, "origins", "wrongType", describeOrigins(origins), expectedOrigins);
  return options;
}

/** Returns the id that `user` returned, or undefined if nobody is signed in. */
export function readUser(user: unknown): string | undefined {
  if (user === undefined || user === null || user === "") return undefined;
  if (typeof user === "string") return user;
  // With one value for all users, each could query the tasks of the others.
  throw invalidRequest(subject, "user", "wrongType", describeValue(user), "a function that returns an id as text", "", {
    problem: `returned ${describeValue(user)}, not the id of a user as text`,
  });
}

/** Whether a value is an origin as browsers send it: without a path, in lower case. Apps have schemes other than https. */
function isOrigin(value: unknown): boolean {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { protocol, host } = new URL(value);
  return value === `${protocol}//${host}`;
}

function describeOrigins(origins: unknown): string {
  return describeValue(Array.isArray(origins) ? origins.find((origin) => !isOrigin(origin)) : origins);
}
