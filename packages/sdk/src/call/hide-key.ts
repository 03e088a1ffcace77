import { isObject } from "../is-object.ts";

/** Gives a text without the key. */
export type Hide = (text: string) => string;

/** Gives the hide of a key; that of the last one is kept, because most clients have one. */
export function rememberHide(): (key: string | undefined) => Hide {
  let last: string | undefined;
  let hide = createHide(last);
  return (key) => {
    if (key !== last) [last, hide] = [key, createHide(key)];
    return hide;
  };
}

/** Hides a key in texts, however it is spelled there: as it is, escaped for JSON, or encoded for an address. */
function createHide(key: string | undefined): Hide {
  if (!key) return (text) => text;
  let pattern: RegExp | undefined;
  const spellings = (char: string) => {
    const hex = char.charCodeAt(0).toString(16).padStart(2, "0");
    return `(?:\\\\?${char.replace(/\W/, "\\$&")}|\\\\u00${hex}|%${hex})`;
  };
  return (text) => text.replace((pattern ??= new RegExp([...key].map(spellings).join(""), "gi")), "[the API key]");
}

/** What makes a paid result reachable; better it shows the key than that it is lost. */
const kept = new Set(["taskid", "url"]);

/** A JSON value with its texts hidden; what names a task or a result stays. */
export function hideIn(value: unknown, hide: Hide): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((one) => hideIn(one, hide));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, kept.has(name) ? one : hideIn(one, hide)]),
  );
}

/** An error that tells the same without the key; one whose texts do not hold it stays itself. */
export function hideInError(error: unknown, hide: Hide, depth = 8): unknown {
  if (typeof error === "string") return hide(error);
  if (typeof error !== "object" || error === null) return error;
  if (!(error instanceof Error)) return new Error("what was thrown is no error, and is not shown: it may hold the key");
  const told = `${error.message}\n${error.stack}`;
  // Whoever made the error may have made its causes a circle.
  const inner = (one: unknown) => (depth > 0 ? hideInError(one, hide, depth - 1) : undefined);
  const cause = inner(error.cause);
  const given: readonly unknown[] | undefined = error instanceof AggregateError ? error.errors : undefined;
  const errors = given?.map(inner);
  const isSame = (depth === 0 || cause === error.cause) && (errors ?? []).every((one, index) => one === given?.[index]);
  // What hangs on it, such as a request of a fetch of the caller's, shows its headers to whoever inspects it.
  const facts = Object.entries(error).filter(([, one]) => typeof one !== "object" && typeof one !== "function");
  const hidden = facts.map(([name, one]) => [name, typeof one === "string" ? hide(one) : one] as const);
  const isPlain =
    facts.length === Object.keys(error).length && facts.every(([, one], index) => one === hidden[index]?.[1]);
  if (hide(told) === told && isSame && isPlain) return error;
  const options = cause === undefined ? undefined : { cause };
  const message = hide(String(error.message));
  return Object.assign(
    errors ? new AggregateError(errors, message, options) : new Error(message, options),
    Object.fromEntries(hidden),
  );
}
