/** Returns a text without the API key. */
export type Hide = (text: string) => string;

/** The minimum length of a key that is hidden within words. A shorter one is hidden only as a word of its own. */
const shortestSecret = 8;
/** The maximum number of keys that are hidden. Most clients have one. */
const keptKeys = 16;
/** The maximum depth of JSON, so that recursion ends. No response of the service is as deep. */
const deepest = 64;
/** Fields that lead to a paid result: showing the key is better than losing the result. */
const kept = new Set(["taskid", "url"]);

/** Hides the keys that a client has used last. The URL of a result may contain one, although none is sent to it. */
export class UsedKeys {
  readonly #patterns: Map<string, RegExp>;

  constructor(patterns: ReadonlyMap<string, RegExp> = new Map()) {
    this.#patterns = new Map(patterns);
  }

  /** Adds a key that is about to be sent. Returns them as they are now: later ones push none of these out. */
  with(key: string): UsedKeys {
    const pattern = this.#patterns.get(key) ?? patternOf(key);
    this.#patterns.delete(key);
    const [oldest = ""] = this.#patterns.keys();
    if (this.#patterns.size === keptKeys) this.#patterns.delete(oldest);
    return new UsedKeys(this.#patterns.set(key, pattern));
  }

  /** Hides those of a minimum length in a text: as they are, escaped for JSON, or encoded for a URL. */
  readonly hide = (text: string, shortest = 0): string => {
    let hidden = text;
    for (const [key, pattern] of this.#patterns)
      if (key.length >= shortest) hidden = hidden.replace(pattern, "[the API key]");
    return hidden;
  };

  /**
   * Returns a copy of JSON without them. Fields that lead to a task or a result stay, and so does a short key: it may be a word of a
   * prompt, such as the placeholder `any`.
   *
   * @throws A RangeError if it is too deep
   */
  hideInJson(value: unknown, depth: number = deepest): unknown {
    if (typeof value === "string") return this.hide(value, shortestSecret);
    if (typeof value !== "object" || value === null) return value;
    if (depth === 0) throw new RangeError("the JSON is too deep");
    const inner = (one: unknown) => this.hideInJson(one, depth - 1);
    if (Array.isArray(value)) return value.map(inner);
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) =>
        kept.has(name) ? [name, one] : [this.hide(name, shortestSecret), inner(one)],
      ),
    );
  }
}

function patternOf(key: string): RegExp {
  const spelled = Array.from(key, (char) => {
    const hex = char.charCodeAt(0).toString(16).padStart(2, "0");
    return `(?:\\\\?${char.replace(/\W/, "\\$&")}|\\\\u00${hex}|%${hex})`;
  }).join("");
  return new RegExp(key.length < shortestSecret ? `(?<![\\w-])${spelled}(?![\\w-])` : spelled, "gi");
}

/** Returns a copy of an error without the key and without objects attached to it: an inspected request shows its headers. */
export function hideInError(error: unknown, hide: Hide, depth = 8): unknown {
  if (typeof error === "string") return hide(error);
  if (typeof error !== "object" || error === null) return error;
  if (!(error instanceof Error))
    return new Error("what was thrown is no error, and is not shown: it may contain the key");
  // Causes may form a cycle.
  const inner = (one: unknown) => (depth > 0 ? hideInError(one, hide, depth - 1) : undefined);
  const cause = inner(error.cause);
  const options = cause === undefined ? undefined : { cause };
  const hidden =
    error instanceof AggregateError ? new AggregateError(error.errors.map(inner), "", options) : new Error("", options);
  const shown = ["name", "message", "stack"];
  for (const name of new Set([...shown, ...Object.keys(error)])) {
    const fact: unknown = Reflect.get(error, name);
    if (typeof fact === "object" || typeof fact === "function" || fact === undefined) continue;
    const value = typeof fact === "string" ? hide(fact) : fact;
    Object.defineProperty(hidden, name, {
      value,
      configurable: true,
      writable: true,
      enumerable: !shown.includes(name),
    });
  }
  return hidden;
}
