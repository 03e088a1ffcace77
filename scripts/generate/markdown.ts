import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { exitCodeMeanings } from "../../packages/cli/src/errors/exit-codes.ts";
import { settings } from "../../packages/emulator/src/service/settings.ts";
import { specTables, table } from "../docs/tables.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Returns a table of the spec or the packages by the name that pages include it under. */
export type Tables = (name: string, argument: string | undefined) => string | undefined;

/** The groups of `program` and of `include`, and the position of the match. */
type ProgramMatch = [language: string, name: string, region: string | undefined, at: number];
type IncludeMatch = [marker: string, name: string, argument: string | undefined, at: number];

const program = /^```(\w+) file=(\S+)(?: region=(\S+))?\n(?:[^]*?\n)??```$/gm;
const include = /^(<!-- include: (\S+)(?: (\S+))? -->)(?:\n\n(?:(?!<!-- )[^])*<!-- end -->)?$/gm;

/**
 * Fills in a page: the programs that code blocks name, and the tables between markers. So the page
 * can be read in the repository.
 *
 * @throws an Error with the page's file and line, if there is no such program, region or table
 */
export function fillPage(markdown: string, file: string, tables: Tables): string {
  const fail = (at: number, what: string) =>
    new Error(`${file}:${markdown.slice(0, at).split("\n").length}: ${what}`);
  return markdown
    .replace(program, (_, ...match: ProgramMatch) => {
      const [language, name, region, at] = match;
      const text = read(`docs/examples/${name}`);
      if (text === undefined) throw fail(at, `there is no program docs/examples/${name}`);
      const code = regionOf(text, region);
      if (code === undefined) throw fail(at, `docs/examples/${name} has no region ${region}`);
      return `\`\`\`${language} file=${name}${region ? ` region=${region}` : ""}\n${code}\n\`\`\``;
    })
    .replace(include, (_, ...match: IncludeMatch) => {
      const [marker, name, argument, at] = match;
      const text = tables(name, argument);
      if (text === undefined) throw fail(at, `there is nothing to include called ${name}`);
      return `${marker}\n\n${text.trim()}\n\n<!-- end -->`;
    });
}

/**
 * Returns a program or one region of it, without the comments that mark regions and without common
 * indentation.
 */
export function regionOf(text: string, region: string | undefined): string | undefined {
  const lines = text.trimEnd().split("\n");
  const marks = (word: string) =>
    lines.findIndex((line) => line.trim() === `// #${word} ${region}`);
  const [from, to] =
    region === undefined ? [-1, lines.length] : [marks("region"), marks("endregion")];
  if (region !== undefined && (from < 0 || to < from)) return undefined;
  const shown = lines.slice(from + 1, to).filter((line) => !/^\s*\/\/ #(end)?region /.test(line));
  const indents = shown
    .filter((line) => line.trim() !== "")
    .map((line) => line.length - line.trimStart().length);
  const indent = Math.min(...indents, 120);
  return shown
    .map((line) => line.slice(indent))
    .join("\n")
    .trim();
}

/** Returns the tables that pages may include. */
export function tablesOf(document: object): Tables {
  const tables = specTables(document);
  const paths = globSync("packages/{sdk,proxy,batch,emulator,mcp,ai-sdk-provider}/src/**/*.ts", {
    cwd: root,
  });
  const sources = paths.map((path) => read(path)).join("\n");
  return (name, argument) => {
    if (name === "errors") return errorsTable();
    if (name === "faults") return faultsTable();
    if (name === "settings") return settingsTable();
    const exitCodes = exitCodeMeanings.map((row) => row.map(String));
    if (name === "exit-codes") return table(["Code", "What happened"], exitCodes);
    if (name === "options" && argument) return optionsTable(argument, sources);
    if (name === "file" && argument) return read(argument);
    return Object.hasOwn(tables, name) ? tables[name] : undefined;
  };
}

/** Returns a table of the emulator's faults with their docstrings. */
function faultsTable(): string {
  const source = read("packages/emulator/src/service/faults.ts") ?? "";
  const faults = source.matchAll(/\/\*\* (.*?)\.? \*\/\n  (\w+): "(before|after)",/g);
  const rows = [...faults].map(([, what = "", name, when]) => [
    `\`${name}\``,
    what,
    when === "after" ? "yes" : "no",
  ]);
  return table(["Fault", "What happens", "The operation has taken effect"], rows);
}

/** Returns a table of the emulator's settings. */
function settingsTable(): string {
  const rows = Object.entries(settings).map(([name, { value, kind, what }]) => {
    const choices = kind.includes("|") ? `: \`${kind.replaceAll("|", "` or `")}\`` : "";
    return [`\`${name}\``, `\`${JSON.stringify(value).replaceAll(/["{}]/g, "")}\``, what + choices];
  });
  return table(["Setting", "Default", "What it means"], rows);
}

/** Returns a table of all errors of the SDK with their docstrings. */
function errorsTable(): string {
  const source = read("packages/sdk/src/errors/errors.ts") ?? "";
  const classes = source.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport class (\w+) extends/g);
  const rows = [...classes].map(([, comment = "", name]) => [
    `[\`${name}\`](../../packages/sdk/api.md#${name})`,
    wordsOf(comment).replace(/\{@link (\w+)\}/g, "`$1`"),
  ]);
  return table(["Error", "What it means"], rows);
}

function wordsOf(comment: string): string {
  return comment
    .replace(/^\s*\*/gm, "")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * Returns a table of the options in an interface: the first sentence of each docstring, and its
 * `@default`.
 */
function optionsTable(name: string, sources: string): string | undefined {
  const [body] = new RegExp(`^export interface ${name}\\b[^]*?\\n}`, "m").exec(sources) ?? [];
  const fields = body?.matchAll(/^ {2}\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2}readonly (\w+)/gm);
  if (!fields) return undefined;
  const rows = [...fields].map(([, comment = "", field = ""]) => {
    const [said = "", fallback = ""] = wordsOf(comment).split(" @default ");
    const [sentence = ""] = said.split(/(?<=\.) (?=[A-Z`])/);
    // A value is code; what follows it in parentheses, and a sentence, is not.
    return [`\`${field}\``, fallback.replace(/^\S+(?= \(|$)|^MEDIAGEN_\w+/, "`$&`"), sentence];
  });
  return table(["Option", "Default", "What it is"], rows);
}

function read(path: string): string | undefined {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined;
}
