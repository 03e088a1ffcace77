import type { BoundsStyle } from "../generate/describe.ts";
import type { Kind } from "../../packages/sdk/src/spec/operation.ts";
import {
  bodyOf,
  byKind,
  exampleOf,
  type PlacedOperation,
  type Spec,
  type SpecSchema,
} from "../spec.ts";
import { isFlag } from "../generate/schema.ts";

/** The Markdown format of valid values. */
export const inMarkdown: BoundsStyle = {
  value: (value) => `\`${value}\``,
  pattern: (pattern) => `\`${pattern}\``,
  number: (value) => value.toLocaleString("en-GB"),
};

/** A file in a field of a form, by its name on the reader's disk. */
export interface SampleFile {
  readonly file: string;
}

/** One call of an operation, with its fields in the SDK's format. */
export interface SampleCall {
  readonly operation: PlacedOperation;
  readonly kind: Kind;
  readonly verb: "generate" | "query" | "delete";
  /** The last segment of the path; the model if the verb is generate. */
  readonly model: string;
  readonly body: SpecSchema;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The error that the program handles. */
  readonly caught?: CaughtError | undefined;
}

/** Returns the call of every operation, with the spec's example. */
export function sampleCalls(spec: Spec): readonly SampleCall[] {
  return byKind(spec).flatMap(({ kind, generate, query, delete: deletion }) => [
    ...[...generate.values()].map((one) => callOf(one, kind, "generate")),
    callOf(query, kind, "query"),
    callOf(deletion, kind, "delete"),
  ]);
}

/** Returns the call of an operation with the spec's example. Flags of a form become booleans. */
export function callOf(
  operation: PlacedOperation,
  kind: Kind,
  verb: SampleCall["verb"],
): SampleCall {
  const body = bodyOf(operation);
  const isBoolean = (name: string) => verb === "generate" && isFlag(body.properties?.[name] ?? {});
  const example = Object.entries(exampleOf(operation));
  const fields = Object.fromEntries(
    example.map(([name, value]) => [name, isBoolean(name) ? value === "1" : value]),
  );
  return { operation, kind, verb, model: operation.path.split("/").at(-1) ?? "", body, fields };
}

/** The code that handles each error in samples. */
export const handlers = {
  InvalidRequestError:
    "console.log(error.issues.map(({ field }) => field)); // not billed: fix these fields",
  InsufficientCreditsError: 'console.log("not billed: add credits, then repeat the call");',
  AuthenticationError: 'console.log("not billed: check the API key");',
  RateLimitError: "console.log(`not billed: try again in ${error.retryAfterMs ?? 60_000} ms`);",
  ServiceError: "console.log(`rejected: ${error.code} ${error.msg}`);",
  ConnectionError: 'console.log("no complete response, and safe to retry");',
  OutcomeUnknownError:
    "console.log(`perhaps billed: look for ${error.model} at ${new Date(error.at).toISOString()} at the service`);",
  TaskFailedError: "console.log(error.record); // a new generation is billed again",
  WaitTimeoutError:
    "console.log(JSON.stringify(error.task)); // not lost: wait again, in any process",
} as const;

/** An error that samples handle. */
export type CaughtError = keyof typeof handlers;

/** Returns the call as a program with the SDK. URL and key come from the environment. */
export function typescriptSample({ kind, verb, model, fields, caught }: SampleCall): string {
  const files = Object.values(fields).flat().some(isSampleFile);
  const imports = [
    "createMediaGen",
    ...(files ? ["fileFrom"] : []),
    ...(caught ? [caught] : []),
  ].join(", ");
  const [[, first] = [], ...further] = Object.entries(fields);
  const options = further.length > 0 ? `, ${literal(Object.fromEntries(further), "")}` : "";
  const calls = {
    generate: [
      `const task = await media.${kind}.generate(${JSON.stringify(model)}, ${literal(fields, "")});`,
      "const { url } = await task.wait();",
      "console.log(url);",
    ],
    query: [
      `const record = await media.${kind}.query(${literal(first, "")}${options});`,
      "console.log(record.url);",
    ],
    delete: [
      `const { status } = await media.${kind}.delete(${literal(first, "")}${options});`,
      "console.log(status);",
    ],
  };
  const client =
    caught === "TaskFailedError"
      ? "const media = createMediaGen({ statuses: { failed: [3] } }); // 3: as the emulator reports it"
      : "const media = createMediaGen(); // key from the environment";
  const tried = [
    "try {",
    ...calls[verb].map((line) => line.replace(/^/gm, "  ")),
    "} catch (error) {",
  ];
  const lines = caught
    ? [...tried, `  if (!(error instanceof ${caught})) throw error;`, `  ${handlers[caught]}`, "}"]
    : calls[verb];
  return [`import { ${imports} } from "@mediagen/sdk/node";`, "", client, ...lines, ""].join("\n");
}

/** Returns the call as a curl command for a POSIX shell. */
export function curlSample({ verb, operation, body, fields }: SampleCall): string {
  const head = [
    `curl "$MEDIAGEN_BASE_URL${operation.path}"`,
    `-H "Authorization: $MEDIAGEN_API_KEY"`,
  ];
  const json = ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(fields))}`];
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one) => formPart(name, one, body)),
  );
  return `${[...head, ...(verb === "generate" ? parts : json)].join(" \\\n  ")}\n`;
}

function formPart(name: string, value: unknown, body: SpecSchema): string {
  if (isSampleFile(value))
    return `-F ${quoted(`${`${name}.items` in (body.properties ?? {}) ? `${name}.items` : name}=@"${value.file.replace(/["\\]/g, "\\$&")}"`)}`;
  const text = typeof value === "boolean" ? String(Number(value)) : String(value);
  return `--form-string ${quoted(`${name}=${text}`)}`;
}

function isSampleFile(value: unknown): value is SampleFile {
  return typeof value === "object" && value !== null && "file" in value;
}

function quoted(text: string): string {
  if (/^[\w.:/-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Formats a value as TypeScript, with one field of an object per line. */
function literal(value: unknown, indent: string): string {
  if (isSampleFile(value)) return `await fileFrom(${JSON.stringify(value.file)})`;
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, indent)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const lines = Object.entries(value).map(
    ([key, one]) =>
      `${indent}  ${/^[\w$]+$/.test(key) ? key : JSON.stringify(key)}: ${literal(one, `${indent}  `)},\n`,
  );
  return lines.length === 0 ? "{}" : `{\n${lines.join("")}${indent}}`;
}
