import type { Readable } from "node:stream";
import { InvalidRequestError, validate } from "@mediagen/sdk";
import { inspectForm } from "@mediagen/sdk/kit";
import { fileFrom } from "@mediagen/sdk/node";
import { usageError } from "../errors/command-error.ts";
import { argumentField } from "../flags/field-flags.ts";
import type { Flag } from "../flags/flags.ts";
import type { Parsed } from "../usage/command.ts";

/** The sources of a form besides the command line. */
export interface Sources {
  openStdin(): Readable;
}

/** Returns the form of a generation: the prompt, and the fields that flags stand for. */
export async function readForm(
  { words: [prompt], options: { model = "" }, fields: given }: Parsed,
  flags: readonly Flag[],
  sources: Sources,
): Promise<Readonly<Record<string, unknown>>> {
  const form: Record<string, unknown> = {};
  if (prompt !== undefined)
    form[argumentField] = checkText(
      argumentField,
      prompt === "-"
        ? new TextDecoder().decode(await readAll(sources.openStdin())).trimEnd()
        : prompt,
    );
  // In the order of the flags, so that the same form has the same digest.
  for (const [field, { name, models }] of new Map(flags.map((flag) => [flag.field ?? "", flag]))) {
    const value = given.get(field);
    if (value === undefined) continue;
    for (const one of [value].flat()) if (typeof one === "string") checkText(`--${name}`, one);
    const info = models?.get(model);
    const read = (path: unknown) =>
      info?.takes === "file" ? readSource(String(path), model, field, sources) : path;
    const each = Array.isArray(value) ? await Promise.all(value.map(read)) : value;
    form[field] = sizeFor(
      model,
      field,
      Array.isArray(each) && each.length === 1 && !info?.many ? each[0] : each,
    );
  }
  return (await inspectForm(model, form, true)).form;
}

/** Returns the file of a path, a URL or stdin. */
async function readSource(
  path: string,
  model: string,
  field: string,
  { openStdin }: Sources,
): Promise<File> {
  if (path !== "-") return fileFrom(path);
  const bytes = new Uint8Array(await readAll(openStdin()));
  return fileFrom(bytes).catch((error: unknown) => {
    if (!(error instanceof InvalidRequestError)) throw error;
    const issues = error.issues.map(({ field: given, code, message }) => ({
      field,
      code,
      message: field + message.slice(given.length),
    }));
    throw new InvalidRequestError(model, issues);
  });
}

async function readAll(source: Readable): Promise<Buffer> {
  const { buffer } = await import("node:stream/consumers");
  return buffer(source);
}

/**
 * Returns a size such as `1024x1024` as the model writes it: `*` between width and height is a
 * pattern for the shell.
 */
function sizeFor(model: string, field: string, value: unknown): unknown {
  if (typeof value !== "string" || !/^\d+x\d+$/i.test(value)) return value;
  const isValid = (size: string) =>
    !validate(model, { [field]: size }).some((issue) => issue.field === field);
  const starred = value.replace(/x/i, "*");
  return !isValid(value) && isValid(starred) ? starred : value;
}

/**
 * Rejects bytes that are not text, which would be billed by mistake. Node reads bytes that are not
 * UTF-8 as U+FFFD.
 */
function checkText(name: string, value: string): string {
  if (!/[\0\uFFFD]/.test(value)) return value;
  const advice = "Nothing was sent. Check what it is made from, or convert it to UTF-8.";
  throw usageError(`${name}: the text is not valid UTF-8`, advice);
}

/** Reads the values of `--extra-field name=value`. */
export function readExtraFields(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((one) => {
      const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(one) ?? [];
      if (name === "")
        throw usageError(
          `--extra-field ${one} has no value`,
          "Nothing was sent. Write name=value.",
        );
      return [name, value];
    }),
  );
}
