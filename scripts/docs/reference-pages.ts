import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { format } from "oxfmt";
import {
  Comment,
  ReflectionKind,
  type DeclarationReflection,
  type ProjectReflection,
} from "typedoc";
import { byKind, type KindOfSpec, type Spec } from "../spec.ts";
import { entryPoints, sdkGroups, type EntryPoint } from "./navigation.ts";
import { twinOf, type NavGroup, type NavLink, type Page } from "./site.ts";
import { callOf, typescriptSample } from "./samples.ts";
import { modelsTable, table } from "./tables.ts";

/** Replaces the URL of the repository if that is not known. Then there are no links to it. */
export const unknownRepository = "repository:";

/** An export as a link in the sidebar. */
interface Export extends NavLink {
  /** Its group in the sidebar. */
  readonly group: string;
  /** The file that TypeDoc has written. */
  readonly file: string;
  readonly summary: string;
  /** Its source file in the repository. */
  readonly source: string;
  /** For the pages of `generate`: the kind. */
  readonly kind?: KindOfSpec;
}

/** The exports of an entry point: by task as listed, then by name. */
function exportsOf(entryPoint: EntryPoint, project: ProjectReflection): readonly Export[] {
  const { module, path, group: last } = entryPoint;
  const members = project.children?.find(({ name }) => name === module)?.children ?? [];
  const groups = Object.keys(sdkGroups);
  const groupOf = ({ name, kind }: DeclarationReflection) => {
    if (path !== "sdk") return last;
    if (kind === ReflectionKind.Class) return "Errors";
    if (name.endsWith("Form")) return "Forms";
    return groups.find((group) => sdkGroups[group]?.includes(name)) ?? last;
  };
  // On macOS and Windows, Download and download are the same file name.
  const isTaken = (name: string) =>
    members.some((one) => one.name !== name && one.name.toLowerCase() === name.toLowerCase());
  const rankOf = ({ title, group }: Export) =>
    1_000 * (groups.indexOf(group) + 1 || 99) +
    10 * ((sdkGroups[group]?.indexOf(title) ?? -1) + 1 || 99) +
    Number(/^[A-Z]/.test(title));
  return members
    .filter(({ kind }) => kind !== ReflectionKind.Reference)
    .map((one): Export => ({
      title: one.name,
      code: true,
      group: groupOf(one),
      // TypeDoc's name of the file.
      file: `${module}/${ReflectionKind.pluralString(one.kind).toLowerCase().replace(" ", "-")}/${one.name}.md`,
      path: `${path}/${one.name}${/^[A-Z]/.test(one.name) && isTaken(one.name) ? "-type" : ""}`,
      summary: summaryOf(one),
      source: sourceOf(one),
    }))
    .sort((a, b) => rankOf(a) - rankOf(b) || a.title.localeCompare(b.title, "en"));
}

/**
 * Puts `media.video.generate` and `media.image.generate` after the interface that declares both.
 */
function withGenerate(exports: readonly Export[], spec: Spec): readonly Export[] {
  return exports.flatMap((one) => {
    if (one.title !== "KindClient") return [one];
    const pages = byKind(spec).map((kind): Export => {
      const title = `media.${kind.kind}.generate`;
      const path = `sdk/generate-${kind.kind}`;
      return { ...one, title, path, summary: `Creates one paid ${kind.kind} task.`, kind };
    });
    return [one, ...pages];
  });
}

/** Creates pages from the files that TypeDoc has written into the directory `out`. */
export async function referencePages(out: string, project: ProjectReflection, spec: Spec) {
  const exports = entryPoints.map((entryPoint) =>
    withGenerate(exportsOf(entryPoint, project), spec),
  );
  const all = exports.flat();
  const pathOf = new Map(all.filter(({ kind }) => !kind).map(({ file, path }) => [file, path]));
  for (const { module, path } of entryPoints) pathOf.set(`${module}/README.md`, path);
  const memberPage = async (one: Export, entryPoint: string): Promise<Page> => {
    const { title, path, file, summary, source, kind } = one;
    const written = readFileSync(join(out, file), "utf8").replace(
      /\]\(([^)\s#]+\.md)/g,
      (_, link: string) => {
        const page = pathOf.get(posix.join(posix.dirname(file), link));
        if (page === undefined) throw new Error(`${file} links to ${link}, which is not a page`);
        return `](${linkTo(path, page)}`;
      },
    );
    const body = kind ? generateOf(written, kind) : written;
    return {
      path,
      section: "sdk",
      title,
      description: summary.replace(/[`[\]]|\(.*?\.md\)/g, ""),
      markdown: await formatSignatures(tidy(body, title, entryPoint)),
      source,
    };
  };
  const pages: Page[] = [];
  for (const [index, entryPoint] of entryPoints.entries()) {
    pages.push(overviewOf(entryPoint, exports[index] ?? []));
    for (const one of exports[index] ?? []) pages.push(await memberPage(one, entryPoint.name));
  }
  const groups = new Set([
    ...Object.keys(sdkGroups),
    ...entryPoints.slice(1).map(({ group }) => group),
    "Types",
  ]);
  return {
    pages,
    sidebar: [
      { title: "", links: [{ path: "sdk", title: "Overview" }] },
      ...[...groups].map((title): NavGroup => {
        const overviews = entryPoints.filter(
          ({ group, path }) => group === title && path !== "sdk",
        );
        const own = all.filter(({ group }) => group === title);
        const entries = overviews.map(({ path, name }) => ({
          path,
          title: overviews.length > 1 ? name : "Overview",
        }));
        return { title, folded: true, links: [...entries, ...own] };
      }),
    ],
    /** The page of an export, by its name; the first entry point wins. */
    pageOf: new Map([...all].reverse().map(({ title, path }) => [title, path])),
  };
}

function overviewOf({ path, name, intro }: EntryPoint, own: readonly Export[]): Page {
  const lists = [...Map.groupBy(own, ({ group }) => group)].flatMap(([group, members]) => [
    path === "sdk" ? `## ${group}\n` : "",
    table(
      ["Name", "What it is"],
      members.map((one) => [`[\`${one.title}\`](${linkTo(path, one.path)})`, one.summary]),
    ),
  ]);
  const others = entryPoints
    .slice(1)
    .map((one) => [`[\`${one.name}\`](${linkTo(path, one.path)})`, one.intro]);
  const further =
    path === "sdk" ? ["## Other entry points\n", table(["Import", "What it is"], others)] : [];
  return {
    path,
    section: "sdk",
    title: name,
    description: intro.replaceAll("`", ""),
    markdown: [`# ${name}`, "", intro, "", ...lists, ...further].join("\n"),
    source: "scripts/docs/navigation.ts",
  };
}

function linkTo(from: string, to: string): string {
  return posix.relative(posix.dirname(twinOf({ path: from })), twinOf({ path: to }));
}

/** Returns the page of `generate` for one kind, from TypeDoc's page of the interface. */
function generateOf(markdown: string, { kind, generate }: KindOfSpec): string {
  const [, checked = "", unchecked = ""] = overloads.exec(markdown) ?? [];
  const [[first, operation] = []] = generate;
  if (!first || !operation) throw new Error(`the spec has no model of ${kind}s`);
  const models = [...generate.keys()].map((model) => JSON.stringify(model)).join(" | ");
  const raised = (text: string, from: string) =>
    text
      .replaceAll(from, "##")
      .replace(/<M extends[^>]*>/, `<M extends ${models}>`)
      .replace(/(?<=<`?)K(?=`?\\?>)/g, `"${kind}"`)
      .replace(/media\.video\.generate\("\w+"/, `media.${kind}.generate("newer-model"`);
  const example = `\`\`\`ts\n${typescriptSample(callOf(operation, kind, "generate"))}\`\`\``;
  return [
    `# generate`,
    raised(checked, "#####").replace(
      /(## Example\n\n)```ts\n[^]*?```/,
      (_, heading: string) => heading + example,
    ),
    "## Models",
    modelsTable([...generate.values()]),
    "## Models that are newer than the SDK",
    raised(unchecked, "####"),
  ].join("\n\n");
}

/** The two signatures of `generate` on TypeDoc's page of the interface. */
const overloads =
  /(?<=### generate\(\)\n\n)#### Call Signature\n\n([^]*?)#### Call Signature\n\n([^]*?)(?=^### )/m;

/** Formats the signatures, which TypeDoc writes on one line or on many. */
async function formatSignatures(markdown: string): Promise<string> {
  let formatted = markdown;
  for (const [block, code = ""] of markdown.matchAll(
    /(?<=^#+ (?!Example).*\n\n)```ts\n([^]*?)```/gm,
  )) {
    const isMember = !/^(?:function|type|interface|class|const|abstract) /.test(code);
    const whole = isMember ? `declare class X {\n${code}}` : code;
    const { code: lines, errors } = await format("signature.ts", whole, { printWidth: 80 });
    const own = isMember
      ? lines.replace(/^declare class X \{\n|\}\n$/g, "").replace(/^ {2}/gm, "")
      : lines;
    if (errors.length === 0) formatted = formatted.replace(block, () => `\`\`\`ts\n${own}\`\`\``);
  }
  return formatted;
}

/** Adapts TypeDoc's Markdown, and adds the import. */
function tidy(markdown: string, name: string, entryPoint: string): string {
  // Type parameters are left out, because the signature shows them.
  const body = markdown
    .replace(/^.*\n/, "")
    .replace(/^\*\*\*\n\n/gm, "")
    .replace(/^## Extended by\n\n(?:- .*\n)+\n/gm, "")
    .replace(/^## Extends\n\n- (.*)\n(?!-)/gm, "Extends $1.\n")
    .replace(/\| - (?=\|$)/gm, "| ")
    .replace(/\[(.*)\]\(repository:.*\)$/gm, "$1")
    .replace(/\| \\\| /g, "| ") // Before the first type of a union.
    .replace(
      overloads,
      "Creates one paid task: [`media.video.generate`](generate-video.md), [`media.image.generate`](generate-image.md).\n\n",
    )
    .replace(/^### .*\n(?:(?!^### )[^])*?^#### Inherited from\n[^]*?(?=^###? |(?![^]))/gm, "")
    .replace(/^## Methods\n\s*(?=^## |(?![^]))/gm, "")
    .replace(/^#+ Type Parameters\n\n\| Type Parameter \|\n[^]*?\n\n/gm, "");
  const [first = "", place] = /^Defined in: (.*)\n\n/m.exec(body) ?? [];
  return `# ${name}\n\n${body.replace(first, "").trim()}\n\nExported by \`${entryPoint}\`. Defined in: ${place}\n`;
}

/** Returns the source file of an export. That of generated ones is the spec. */
function sourceOf({ sources = [] }: DeclarationReflection): string {
  const [path = ""] = sources.map(({ fileName }) => `packages/${fileName}`);
  return path.endsWith(".gen.ts") ? "openapi/openapi.yaml" : path;
}

function summaryOf(one: DeclarationReflection): string {
  const parts = (one.comment ?? one.signatures?.[0]?.comment)?.summary;
  const text = Comment.combineDisplayParts(parts).replace(/\{@link (\w+)\}/g, "`$1`");
  return text.replace(/\s+/g, " ").trim();
}
