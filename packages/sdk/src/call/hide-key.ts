import { isObject } from "../spec/is-object.ts";

/** A function that returns a text without the key. */
export type Hide = ((text: string) => string) & {
  /** Whether the key is so short that records are left as they are: it may be a word of a prompt, such as the placeholder `any`. */
  readonly isWord?: boolean;
};

/** The minimum length of a key that is hidden within words. A shorter one is hidden only as a word of its own. */
const shortestSecret = 8;

/** Creates the function that hides a key in texts: as it is, escaped for JSON, or encoded for a URL. */
export function createHide(key: string | undefined): Hide {
  if (!key) return (text) => text;
  const isWord = key.length < shortestSecret;
  let pattern: RegExp | undefined;
  const spellings = (char: string) => {
    const hex = char.charCodeAt(0).toString(16).padStart(2, "0");
    return `(?:\\\\?${char.replace(/\W/, "\\$&")}|\\\\u00${hex}|%${hex})`;
  };
  const create = () => {
    const spelled = [...key].map(spellings).join("");
    return new RegExp(isWord ? `(?<![\\w-])${spelled}(?![\\w-])` : spelled, "gi");
  };
  return Object.assign((text: string) => text.replace((pattern ??= create()), "[the API key]"), { isWord });
}

/** Fields that lead to a paid result: showing the key is better than losing the result. */
const kept = new Set(["taskid", "url"]);

/** Returns the JSON of a response without the key. A key that may be a word of a record is hidden only in the message. */
export function hideInResponse(json: unknown, hide: Hide): unknown {
  if (!hide.isWord || !isObject(json)) return hideIn(json, hide);
  return { ...json, msg: hideIn(json["msg"], hide) };
}

/** Returns a JSON value without the key in its texts. Fields that lead to a task or a result stay. */
function hideIn(value: unknown, hide: Hide): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((one) => hideIn(one, hide));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => (kept.has(name) ? [name, one] : [hide(name), hideIn(one, hide)])),
  );
}

const asAssigned = { configurable: true, enumerable: true, writable: true };

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
  const message = hide(String(error.message));
  const hidden =
    error instanceof AggregateError
      ? new AggregateError(error.errors.map(inner), message, options)
      : new Error(message, options);
  if (error.stack !== undefined) hidden.stack = hide(error.stack);
  if (error.name !== hidden.name) {
    const name = hide(String(error.name));
    Object.defineProperty(hidden, "name", { value: name, configurable: true, writable: true });
  }
  for (const [name, fact] of Object.entries(error)) {
    if (name === "name" || typeof fact === "object" || typeof fact === "function") continue;
    Object.defineProperty(hidden, name, { value: typeof fact === "string" ? hide(fact) : fact, ...asAssigned });
  }
  return hidden;
}
