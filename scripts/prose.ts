import { glob, readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import MarkdownIt from "markdown-it";
import ts from "typescript";
import { isScalar, LineCounter, parseDocument, visit } from "yaml";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The files with text for users and contributors. */
const sources = [
  "*.md",
  ".changeset/*.md",
  "docs/**/*.{md,ts,html}",
  "packages/*/README.md",
  "packages/*/src/**/*.{md,ts,html}",
  "openapi/**/*",
  "scripts/**/*.ts",
];
const notWritten = /\.gen\.|\/(node_modules|dist)\/|CHANGELOG|released\.yaml|api\.md$/;

/** About 25 words are easy to read. Comments and texts of programs may take a few more, to hold a list. */
const mostWordsOfPage = 25;
const mostWordsOfProgram = 30;

/** Patterns of words that read as translated, with plain replacements. */
const plainWords: ReadonlyMap<RegExp, string> = new Map([
  [/\banswer(s|ed|ing)? (a|the|its|his) (task|record|list|promise|envelope)/, "return, resolve to"],
  [/\b(lost|late|cut|HTML) answers?\b|\banswers? (was|is|were) lost/, "response"],
  [/\b(the|a|no) (service|server) answer(s|ed)\b/, "responds, returns"],
  [/\b(web|node|other|each|both|plain|two) doors?\b/, "entry point"],
  [/\bask(s|ed|ing)? again\b|\blook(s|ed|ing)? again\b/, "poll, query again"],
  [/\bsen[dt]s? (it )?again\b/, "retry, resend"],
  [/\btime limits?\b|\blimits? (of|on) time\b/, "timeout"],
  [/(?<!connection (was )?|proxy (that )?)\brefus(e|es|ed|ing|al|als)\b(?! connection)/, "reject"],
  [/\ballowed is\b/, "use, must be"],
  [/\bmend(s|ed|ing)?\b/, "fix"],
  [/\bnot(e|es|ed|ing) down\b/, "record"],
  [/\bof (yours|ours|theirs|one's own)\b/, "your own, custom"],
  [/\b(is|are|was) told\b|\btells? (an|of|that|when|how|whether)\b/, "receives, reports, says"],
  [/\bhears?\b/, "receives"],
  [/\bceilings?\b/, "limit"],
  [/\bheeds?\b/, "respects"],
  [/\bbeside\b/, "next to, besides"],
  [/\bnothing (is|was) paid\b/, "free, nothing is billed"],
  [/\bpaid for\b/, "billed, charged"],
  [/\bmeanwhile\b/, "while, in the meantime"],
  [/\bwhole\b(?! number)/, "complete"],
  [/\bfolders?\b/, "directory"],
  [/\baddress(es)? of (the |an? |your |its )*(image|video|clip|picture|page|source)/, "URL"],
  [/, for (it|there|that|nobody|no) (is|are|was|has|may|can|would)\b/, "because"],
]);

/** Patterns for pages, which have more of them, because users read pages first. */
const plainWordsOfPages: ReadonlyMap<RegExp, string> = new Map([
  ...plainWords,
  [/\banew\b/, "again"],
  [/\bunasked\b/, "unless you pass"],
  [/\basked for\b/, "requested"],
  [/\bbecame none\b/, "failed, unknown"],
  [/\b(go|goes|going|went) on\b/, "continue"],
  [/\b(the|four|eight|its) rooms?\b/, "directory, module"],
  [/\b(take|takes|taken|taking) (\w+ )?for\b/, "read as, mistake for"],
  [
    /(?<!there )\b(is|are|was) no (image|task|url|number|list|file|failure|option|string|model|path|record)\b/,
    "is not a",
  ],
  [/\blook(s|ed|ing)? once\b/, "poll once"],
]);

/** A piece of English in a file. */
interface Piece {
  readonly line: number;
  readonly text: string;
  readonly isHeading?: boolean;
  readonly isDocstring?: boolean;
}

/** Matches a docstring that asks instead of naming what it documents. */
const riddle = /^(What|Where|Who|Whom|Whose|Which|When|Why|How)\b/;

/** Matches a heading that is a question. */
const question = /\?$|^(how|what|why|when|where) (do|does|did|can|is|are|should)\b/i;

/** Returns the faults of the English in all sources: words that read as translated, long sentences, questions as headings. */
export async function lintProse(): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const pattern of sources) {
    for await (const path of glob(pattern, { cwd: root })) {
      if (notWritten.test(path) || extname(path) === "") continue;
      const text = await readFile(`${root}/${path}`, "utf8").catch(() => "");
      faults.push(...proseFaults(path, text));
    }
  }
  return faults;
}

/** Returns the faults of the English in one file. The extension of the path decides how it is parsed. */
export function proseFaults(path: string, text: string): readonly string[] {
  const [words, mostWords] = path.endsWith(".md")
    ? ([plainWordsOfPages, mostWordsOfPage] as const)
    : ([plainWords, mostWordsOfProgram] as const);
  const isFaq = /^(title:|# ).*\bFAQ\b/m.test(text);
  return piecesOf(path, text).flatMap((piece) => {
    const faults = [...faultsOf(piece, words, mostWords)];
    if (piece.isHeading && !isFaq && question.test(piece.text)) faults.push(`"${piece.text}": name the topic`);
    const [asked] = (piece.isDocstring && riddle.exec(piece.text)) || [];
    if (asked) faults.push(`a docstring that begins with "${asked}": begin with a verb or a noun`);
    return faults.map((fault) => `${path}:${piece.line} ${fault}`);
  });
}

function faultsOf({ text }: Piece, plain: ReadonlyMap<RegExp, string>, mostWords: number): readonly string[] {
  const faults: string[] = [];
  for (const [word, better] of plain) {
    const [found] = new RegExp(word, "i").exec(text) ?? [];
    if (found !== undefined) faults.push(`"${found}": write ${better}`);
  }
  for (const sentence of text.split(/(?<=[.!?:])\s+/)) {
    const words = sentence.split(/\s+/).filter((word) => /\w/.test(word)).length;
    if (words > mostWords) faults.push(`a sentence of ${words} words: ${sentence.slice(0, 60)}...`);
  }
  return faults;
}

function piecesOf(path: string, text: string): readonly Piece[] {
  if (path.endsWith(".md")) return inMarkdown(text);
  if (path.endsWith(".ts")) return inProgram(text);
  if (path.endsWith(".html")) return inHtml(text);
  return path.endsWith(".yaml") ? inYaml(text) : [];
}

function inMarkdown(text: string): readonly Piece[] {
  const [, matter = "", body = text] = /^(---\n[^]*?\n---\n)?([^]*)$/.exec(text) ?? [];
  const offset = matter.split("\n").length;
  const pieces = matter ? [...inYaml(matter.replace(/---\n/g, "\n"))] : [];
  let line = offset;
  let isHeading = false;
  for (const { type, map, children } of MarkdownIt({ html: true }).parse(body, {})) {
    if (type.startsWith("heading_")) isHeading = type === "heading_open";
    // The cells of a table have no line numbers.
    if (map) line = map[0] + offset;
    if (type !== "inline") continue;
    const words = (children ?? []).map((child) => {
      if (child.type === "code_inline") return "x";
      return child.type === "softbreak" ? " " : child.content;
    });
    pieces.push({ line, text: words.join(""), isHeading });
  }
  return pieces;
}

/** Returns the texts between tags and in attributes. Tags within a sentence do not end it. */
function inHtml(text: string): readonly Piece[] {
  const blank = (hidden: string) => hidden.replace(/[^\n]/g, " ");
  const flat = text
    .replace(/<!--[^]*?-->|<(script|style|pre)\b[^]*?<\/\1>/g, blank)
    .replace(/<(code|kbd)\b[^>]*>[^<]*<\/\1>/g, "x")
    .replace(/<\/?(a|abbr|b|em|i|small|span|strong|time)\b[^>]*>/g, "");
  const lineOf = (offset: number) => flat.slice(0, offset).split("\n").length;
  const texts = flat.matchAll(/(?<=>)[^<>]*\w[^<>]*(?=<)|(?<=\b(?:alt|title|aria-label|placeholder|content)=")[^"]+/g);
  return [...texts].map(({ 0: found, index }) => ({
    line: lineOf(index + found.search(/\S/)),
    text: withoutCode(found),
  }));
}

function inYaml(text: string): readonly Piece[] {
  const lineCounter = new LineCounter();
  const pieces: Piece[] = [];
  visit(parseDocument(text, { lineCounter }), {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !isScalar(value) || typeof value.value !== "string") return;
      if (!/^(title|summary|description|x-assumption)$/.test(String(key.value))) return;
      // Each row of a table counts as a sentence.
      const rows = value.value.replace(/\|\n/g, ".\n");
      pieces.push({ line: lineCounter.linePos(value.range?.[0] ?? 0).line, text: withoutCode(rows) });
    },
  });
  return pieces;
}

function inProgram(text: string): readonly Piece[] {
  const file = ts.createSourceFile("", text, ts.ScriptTarget.Latest);
  const lineOf = (offset: number) => file.getLineAndCharacterOfPosition(offset).line + 1;
  const pieces: Piece[] = [];
  for (const { 0: block, index } of text.matchAll(/\/\*\*[^]*?\*\/|(?<=^|\s)\/\/ .*(?:\n\s*\/\/ .*)*/gm)) {
    const prose = block
      .replace(/@example[^]*?(?=\n\s*\* @|\*\/)/g, "")
      .replace(/^\s*(\/\*\*|\*\/|\*|\/\/)|\*\/$/gm, "");
    // Each tag begins a sentence.
    for (const [place, part] of prose.split(/@\w+|\n\s*\n/).entries()) {
      const isDocstring = place === 0 && block.startsWith("/**");
      pieces.push({ line: lineOf(index), text: withoutCode(part), isDocstring });
    }
  }
  const visitNode = (node: ts.Node): void => {
    const literal = ts.isStringLiteralLike(node)
      ? node.text
      : ts.isTemplateExpression(node)
        ? node.head.text + node.templateSpans.map((span) => `x${span.literal.text}`).join("")
        : "";
    const first = lineOf(node.getStart(file));
    // Checks each line of a help text or a program on its own, so sentences over several lines are not measured.
    for (const [index, one] of literal.split("\n").entries())
      if (/\w \w+ \w/.test(one)) pieces.push({ line: first + index, text: withoutCode(one) });
    ts.forEachChild(node, visitNode);
  };
  visitNode(file);
  return pieces;
}

function withoutCode(text: string): string {
  return text
    .replace(/`[^`]*`|\{@link [^}]*\}|<[^>]*>/g, "x")
    .replace(/\s+/g, " ")
    .trim();
}
