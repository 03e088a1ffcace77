import { printable } from "./printable.ts";

/** What goes to stdout: results, and nothing else. */
export interface Output {
  /** Prints a line at once, unless one document is asked for. */
  line(text: string): void;
  /** Prints the document, where one is asked for. */
  document(value: unknown): void;
}

/** Results as lines, or as one JSON document. */
export function createOutput({ json = false }: { readonly json?: boolean | undefined }): Output {
  return {
    line: (text) => void (json || process.stdout.write(`${process.stdout.isTTY ? printable(text) : text}\n`)),
    document: (value) => void (json && process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`)),
  };
}
