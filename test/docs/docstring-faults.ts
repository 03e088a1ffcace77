import ts from "typescript";

/** A function that users call, or a method that they call or implement. */
type Callable =
  | ts.FunctionDeclaration
  | ts.FunctionExpression
  | ts.ArrowFunction
  | ts.MethodSignature
  | ts.MethodDeclaration;

/** A sentence of more words has to be read twice. */
const mostWords = 25;

/**
 * Returns what the docstrings of the entry points' exports lack, and what in them has to be read twice.
 *
 * Constructors are exempt: users catch errors and do not create them. Functions that are options are too, because they are
 * described as what they are for. So is what is not written here: the types made from the spec, and those of other packages.
 */
export function docstringFaults(program: ts.Program, entryPoints: readonly string[]): readonly string[] {
  const checker = program.getTypeChecker();
  const declarations = new Set(entryPoints.flatMap((file) => exportsOf(checker, program.getSourceFile(file))));
  const callables = new Set([...declarations].flatMap((declaration) => callablesIn(checker, declaration)));
  return [
    ...[...callables].flatMap((one) => faultsOf(checker, one).map((fault) => `${placeOf(one)} ${fault}`)),
    ...[...declarations].flatMap((one) => unclearIn(one).map((fault) => `${placeOf(one)} ${fault}`)),
  ];
}

function exportsOf(checker: ts.TypeChecker, file: ts.SourceFile | undefined): readonly ts.Declaration[] {
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error("an entry point exports nothing");
  return checker
    .getExportsOfModule(module)
    .map((one) => (one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one))
    .flatMap(({ declarations = [] }) => declarations)
    .filter(isWrittenHere);
}

function isWrittenHere(node: ts.Node): boolean {
  const { fileName } = node.getSourceFile();
  return !/\/(node_modules|dist)\/|\.gen\./.test(fileName);
}

/** Returns an exported function, or the methods of an exported type with those it inherits. */
function callablesIn(checker: ts.TypeChecker, declaration: ts.Declaration): readonly Callable[] {
  if (ts.isFunctionDeclaration(declaration))
    return checker.isImplementationOfOverload(declaration) ? [] : [declaration];
  const value = ts.isVariableDeclaration(declaration) && declaration.initializer;
  if (value && (ts.isArrowFunction(value) || ts.isFunctionExpression(value))) return [value];
  if (!ts.isInterfaceDeclaration(declaration) && !ts.isClassDeclaration(declaration)) return [];
  return checker
    .getTypeAtLocation(declaration)
    .getProperties()
    .flatMap((property) => property.declarations ?? [])
    .filter((one) => ts.isMethodSignature(one) || ts.isMethodDeclaration(one))
    .filter(isWrittenHere);
}

function faultsOf(checker: ts.TypeChecker, callable: Callable): readonly string[] {
  const doc = ts.getJSDocCommentsAndTags(callable).filter(ts.isJSDoc).at(-1);
  if (!doc) return ["has no docstring"];
  const tags: readonly ts.JSDocTag[] = doc.tags ?? [];
  const named = (name: string) => tags.filter(({ tagName }) => tagName.text === name);
  const examples = named("example").length;
  const returned = checker.getSignatureFromDeclaration(callable)?.getReturnType();
  const returnsNothing = !returned || isNothing(checker.getAwaitedType(returned) ?? returned);
  const parameters = callable.parameters.map(({ name }) => name);
  const unknown = tags
    .filter(ts.isJSDocParameterTag)
    .map(({ name }) => name.getText())
    .filter((name) => !parameters.some((one) => one.getText() === name));
  return [
    /^[A-Z][a-z]*s\b/.test(textOf(doc.comment)) ? "" : "does not begin with a verb such as Returns",
    examples === 1 ? "" : `has ${examples} @example`,
    returnsNothing || named("returns").some(({ comment }) => textOf(comment) !== "") ? "" : "has no @returns",
    ...unknown.map((name) => `has a @param ${name}, which is not a parameter`),
    parameters.every(ts.isIdentifier) ? "" : "shows the parts of a parameter in its hover: take it apart inside",
    // TypeScript reads a brace after the tag as a type, and its hovers show "@throws {" and "@link".
    named("link").length === 0 ? "" : "has a {@link} right after a tag: write a word before it",
  ].filter(Boolean);
}

function isNothing({ flags }: ts.Type): boolean {
  return (flags & (ts.TypeFlags.Void | ts.TypeFlags.Undefined)) !== 0;
}

/** Returns what has to be read twice in the docstrings of a declaration and of its members. */
function unclearIn(declaration: ts.Declaration): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    for (const doc of ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)) {
      const [clause] = /^(What|How|When|Where) .*/.exec(textOf(doc.comment)) ?? [];
      if (clause !== undefined) found.push(`is described by a clause, not by a noun: ${clause}`);
      const prose = (doc.tags ?? []).filter(({ tagName }) => tagName.text !== "example");
      const texts = [doc.comment, ...prose.map(({ comment }) => comment)].map(textOf);
      for (const sentence of texts.flatMap((text) => text.split(/(?<=[.:;!?])\s+|\n\n/))) {
        const words = sentence.split(/\s+/).filter((word) => /\w/.test(word));
        if (words.length > mostWords) found.push(`has a sentence of ${words.length} words: ${words.join(" ")}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(declaration);
  return found;
}

function textOf(comment: ts.JSDoc["comment"]): string {
  return (ts.getTextOfJSDocComment(comment) ?? "").replace(/`[^`]*`|\{@link [^}]*\}/g, "x");
}

function placeOf(node: ts.Declaration): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  const name = ts.getNameOfDeclaration(node)?.getText() ?? "";
  return `${file.fileName.replace(/^.*\/(?=packages\/|out\/)/, "")}:${line + 1} ${name}`;
}
