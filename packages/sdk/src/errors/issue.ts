import { isFileInput } from "../spec/file-input.ts";

/** One thing that is wrong with what was given, found before anything is sent. */
export interface Issue {
  /** The field, such as `duration` or `sourceImage[1]`. */
  readonly field: string;
  /** What was given, in words and shortened. */
  readonly got: string;
  /** What is allowed, in words. */
  readonly allowed: string;
  /** What may have been meant, where a name is close to a known one. */
  readonly hint?: string;
}

/** A value in words, shortened; never the bytes of a file. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") {
    return value.length > 60
      ? `${JSON.stringify(value.slice(0, 60))}... (${[...value].length} characters)`
      : JSON.stringify(value);
  }
  if (isFileInput(value)) return `a file (${value.type || "no type"}, ${value.size} bytes)`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value instanceof Promise) return "a promise (is an await missing?)";
  if (value instanceof Uint8Array) return "bytes (a Blob or fileFrom makes a file of them)";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}
