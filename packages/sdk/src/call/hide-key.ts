import { isObject } from "../spec/values.ts";

/**
 * Returns a text without the API key; without a shorter key than the minimum only if none is given.
 */
export type Hide = (text: string, minimum?: number) => string;

/**
 * The minimum length of a key that is hidden within words. A shorter one is hidden only as a word
 * of its own.
 */
const shortestSecret = 8;
const keptKeys = 16;
/** Fields that lead to a paid result: showing the key is better than losing the result. */
const kept = /^(taskid|url)$/;

/**
 * Hides the keys that a client has used last. The URL of a result may contain one, although none is
 * sent to it.
 */
export class UsedKeys {
  readonly #patterns = new Map<string, RegExp>();
  /** Hides them as they are, escaped for JSON, or encoded for a URL. */
  hide: Hide = (text) => text;

  /**
   * Adds a key that is about to be sent. Returns what hides the keys as they are now: later ones
   * push none of these out.
   */
  add(key: string): Hide {
    if (this.#patterns.has(key)) return this.hide;
    const [oldest = ""] = this.#patterns.keys();
    if (this.#patterns.size === keptKeys) this.#patterns.delete(oldest);
    const all = [...this.#patterns.set(key, patternOf(key))];
    this.hide = (given, minimum = 0) =>
      all.reduce(
        (text, [{ length }, pattern]) =>
          length < minimum ? text : text.replace(pattern, "[the API key]"),
        given,
      );
    return this.hide;
  }
}

function patternOf(key: string): RegExp {
  const spelled = Array.from(key, (char) => {
    const hex = char.charCodeAt(0).toString(16).padStart(2, "0");
    return `(?:%${hex}|\\\\u00${hex}|\\\\?${char.replace(/\W/, "\\$&")})`;
  }).join("");
  return new RegExp(
    key.length < shortestSecret ? `(?<![\\w-])${spelled}(?![\\w-])` : spelled,
    "gi",
  );
}

/**
 * Returns the reviver of JSON that hides the keys in it, except short ones, which may be words of a
 * prompt, such as `any`.
 */
export function hidingIn(hide: Hide): (name: string, value: unknown) => unknown {
  const hidden = (value: unknown): unknown => {
    // The key may also be the name of a field, as in a count for each key.
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [hidden(name), one]));
    if (Array.isArray(value)) return value.map(hidden);
    return typeof value === "string" ? hide(value, shortestSecret) : value;
  };
  // Entries of lists belong to their field.
  return function (this: unknown, name, value) {
    return Array.isArray(this) || kept.test(name) ? value : hidden(value);
  };
}

/**
 * Returns a copy of an error without the key and without objects attached to it: an inspected
 * request shows its headers.
 */
export function hideInError(error: unknown, hide: Hide, depth = 8): unknown {
  if (typeof error === "string") return hide(error);
  if (typeof error !== "object" || error === null) return error;
  // Causes may form a cycle.
  if (!(error instanceof Error) || depth === 0) return new Error("not an error (not shown)");
  const inner = (one: unknown) => hideInError(one, hide, depth - 1);
  const message = hide(error.message);
  const hidden =
    error instanceof AggregateError
      ? new AggregateError(error.errors.map(inner), message)
      : new Error(message);
  for (const field of ["name", "stack", "cause", "code", "syscall", "reason", "statusCode"]) {
    const fact: unknown = Reflect.get(error, field);
    const enumerable = /code|syscall/.test(field);
    if (fact !== undefined)
      Object.defineProperty(hidden, field, { value: inner(fact), enumerable });
  }
  return hidden;
}
