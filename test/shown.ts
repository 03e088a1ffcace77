import { inspect } from "node:util";

/**
 * Everything that one can see of a value and of its causes: printed with all that is hidden, as
 * JSON, as text, and bytes as text.
 */
export function shown(value: unknown, seen: ReadonlySet<unknown> = new Set()): string {
  const texts = [
    inspect(value, {
      depth: Infinity,
      showHidden: true,
      maxStringLength: Infinity,
      maxArrayLength: Infinity,
    }),
    asJson(value),
    String(value),
  ];
  if (!(value instanceof Error) || seen.has(value)) return texts.join("\n");
  const bytes = Object.values(value)
    .filter((one) => one instanceof Uint8Array)
    .map((one) => Buffer.from(one).toString("latin1"));
  // Whoever made the error may have made its causes a circle.
  return [
    ...texts,
    value.message,
    value.stack,
    ...bytes,
    shown(value.cause, new Set([...seen, value])),
  ].join("\n");
}

function asJson(value: unknown): string {
  const above: unknown[] = [];
  return String(
    JSON.stringify(value, function (this: unknown, _, one: unknown) {
      // A circle, such as Node's errors have for a certificate, is no JSON.
      above.splice(above.indexOf(this) + 1);
      if (above.includes(one)) return "a circle";
      above.push(one);
      return one;
    }),
  );
}
