import { printable } from "./text.ts";

/** Prints results on stdout, and nothing else. */
export interface Output {
  /** Prints a line at once, unless `--json` is set. */
  line(text: string): void;
  /** Prints the document if `--json` is set. */
  document(value: unknown): void;
}

/** The streams that have their one document. */
const printed = new WeakSet<object>();

/** Creates the output: lines, or one JSON document. */
export function createOutput({ json = false }: { readonly json?: boolean | undefined }): Output {
  return {
    line: (text) =>
      void (json || process.stdout.write(`${process.stdout.isTTY ? printable(text) : text}\n`)),
    document: (value) => void (json && printDocument(value)),
  };
}

/**
 * Prints a JSON document, unless one is printed already: a reader of stdout gets one, also of a
 * command that fails.
 */
export function printDocument(value: unknown): void {
  if (printed.has(process.stdout)) return;
  printed.add(process.stdout);
  process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}
