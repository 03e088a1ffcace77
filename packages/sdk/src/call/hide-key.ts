import { isObject } from "../spec/is-object.ts";

/** Returns a text without the key. */
export type Hide = ((text: string) => string) & {
  /** Whether the key is so short that records are left as they are: it may be a word of a prompt, such as the placeholder `any`. */
  readonly isWord?: boolean;
};

/** A shorter key is hidden only where it stands as a word of its own. */
const shortestSecret = 8;

/** Returns what hides a key in texts, however it is spelled: as it is, escaped for JSON, or encoded for a URL. */
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

/** What makes a paid result reachable: showing the key is better than losing it. */
const kept = new Set(["taskid", "url"]);

/** Returns the JSON of a response without the key; only its message if the key is a word that a record may contain. */
export function hideInResponse(json: unknown, hide: Hide): unknown {
  if (!hide.isWord || !isObject(json)) return hideIn(json, hide);
  return { ...json, msg: hideIn(json["msg"], hide) };
}

/** Returns a JSON value with its texts hidden; what names a task or a result stays. */
function hideIn(value: unknown, hide: Hide): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((one) => hideIn(one, hide));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => (kept.has(name) ? [name, one] : [hide(name), hideIn(one, hide)])),
  );
}

const asAssigned = { configurable: true, enumerable: true, writable: true };

/** Returns an error that says the same without the key, and without what hangs on it: a request shows its headers when inspected. */
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
