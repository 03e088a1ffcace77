import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { Comment, ReflectionKind, type DeclarationReflection, type ProjectReflection } from "typedoc";
import { entryPoints, sdkGroups, type EntryPoint } from "./navigation.ts";
import { twinOf, type NavGroup, type Page } from "./site.ts";
import { table } from "./tables.ts";

/** The pages of the reference. */
export interface ReferencePages {
  readonly pages: readonly Page[];
  readonly sidebar: readonly NavGroup[];
  /** The page of an export, by its name; the first entry point wins. */
  readonly pageOf: ReadonlyMap<string, string>;
}

/** TypeDoc's directories for the pages of each kind of export. */
const folders: ReadonlyMap<ReflectionKind, string> = new Map([
  [ReflectionKind.Function, "functions"],
  [ReflectionKind.Class, "classes"],
  [ReflectionKind.Interface, "interfaces"],
  [ReflectionKind.TypeAlias, "type-aliases"],
  [ReflectionKind.Variable, "variables"],
]);

interface Export {
  readonly name: string;
  /** Its group in the sidebar. */
  readonly group: string;
  /** The file that TypeDoc has written. */
  readonly file: string;
  readonly path: string;
  readonly summary: string;
  /** Its source file in the repository. */
  readonly source: string;
}

/** The exports of an entry point: by task as listed, then by name. */
function exportsOf(entryPoint: EntryPoint, project: ProjectReflection): readonly Export[] {
  const { module, path, group: last } = entryPoint;
  const members = project.children?.find(({ name }) => name === module)?.children ?? [];
  const ranks = new Map(
    Object.values(sdkGroups).flatMap((names, group) => names.map((name, at) => [name, group * 100 + at])),
  );
  const groupOf = ({ name, kind }: DeclarationReflection) => {
    if (path !== "sdk") return last;
    if (kind === ReflectionKind.Class) return "Errors";
    return Object.keys(sdkGroups).find((group) => sdkGroups[group]?.includes(name)) ?? last;
  };
  // On macOS and Windows, Download and download are the same file name.
  const isTaken = (name: string) =>
    members.some((one) => one.name !== name && one.name.toLowerCase() === name.toLowerCase());
  const rankOf = ({ name, group }: Export) =>
    ranks.get(name) ?? (group === "Errors" ? Object.keys(sdkGroups).indexOf(group) * 100 : 9_999);
  return members
    .filter(({ kind }) => folders.has(kind))
    .map((one): Export => ({
      name: one.name,
      group: groupOf(one),
      file: posix.join(module, folders.get(one.kind) ?? "", `${one.name}.md`),
      path: `${path}/${one.name}${/^[A-Z]/.test(one.name) && isTaken(one.name) ? "-type" : ""}`,
      summary: summaryOf(one),
      source: sourceOf(one, project, `packages/${module.split("/")[0]}`),
    }))
    .sort(
      (a, b) =>
        rankOf(a) - rankOf(b) ||
        Number(/^[A-Z]/.test(a.name)) - Number(/^[A-Z]/.test(b.name)) ||
        a.name.localeCompare(b.name, "en"),
    );
}

/** Creates pages from the files that TypeDoc has written into the directory `out`. */
export function referencePages(out: string, project: ProjectReflection): ReferencePages {
  const exports = entryPoints.map((entryPoint) => exportsOf(entryPoint, project));
  const all = exports.flat();
  const pathOf = new Map(all.map(({ file, path }) => [file, path]));
  for (const { module, path } of entryPoints) pathOf.set(`${module}/README.md`, path);
  const memberPage = ({ name, path, file, summary, source }: Export, entryPoint: string): Page => ({
    path,
    section: "sdk",
    title: name,
    description: summary.replace(/[`[\]]|\(.*?\.md\)/g, ""),
    markdown: tidy(readFileSync(join(out, file), "utf8"), name, entryPoint).replace(
      /\]\(([^)\s#]+\.md)/g,
      (_, link: string) => {
        const page = pathOf.get(posix.join(posix.dirname(file), link));
        if (page === undefined) throw new Error(`${file} links to ${link}, which is not a page`);
        return `](${linkTo(path, page)}`;
      },
    ),
    source,
  });
  const groups = [...Object.keys(sdkGroups), ...entryPoints.slice(1).map(({ group }) => group), "Types"];
  return {
    pages: entryPoints.flatMap((entryPoint, index) => [
      overviewOf(entryPoint, exports[index] ?? []),
      ...(exports[index] ?? []).map((one) => memberPage(one, entryPoint.name)),
    ]),
    sidebar: [
      { title: "", links: [{ path: "sdk", title: "Overview" }] },
      ...groups.map((title): NavGroup => {
        const { path } = entryPoints.find(({ group }) => group === title && title !== "Types") ?? {};
        const own = all
          .filter(({ group }) => group === title)
          .map((one) => ({ path: one.path, title: one.name, code: true }));
        return { title, folded: true, links: [...(path ? [{ path, title: "Overview" }] : []), ...own] };
      }),
    ],
    pageOf: new Map([...all].reverse().map(({ name, path }) => [name, path])),
  };
}

function overviewOf({ path, name, intro }: EntryPoint, own: readonly Export[]): Page {
  const lists = [...Map.groupBy(own, ({ group }) => group)].flatMap(([group, members]) => [
    path === "sdk" ? `## ${group}\n` : "",
    table(
      ["Name", "What it is"],
      members.map((one) => [`[\`${one.name}\`](${linkTo(path, one.path)})`, one.summary]),
    ),
  ]);
  const others = entryPoints.slice(1).map((one) => [`[\`${one.name}\`](${linkTo(path, one.path)})`, one.intro]);
  const further = path === "sdk" ? ["## Other entry points\n", table(["Import", "What it is"], others)] : [];
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

/** Adapts TypeDoc's Markdown: adds the import, and merges the errors into one list. */
function tidy(markdown: string, name: string, entryPoint: string): string {
  const [, ...lines] = markdown.split("\n");
  // Type parameters are left out, because the signature shows them.
  const body = lines
    .join("\n")
    .replace(/^\*\*\*\n\n/gm, "")
    .replace(/^## Extended by\n\n(?:- .*\n)+\n/gm, "")
    .replace(/^## Extends\n\n- (.*)\n(?!-)/gm, "Extends $1.\n")
    .replace(/\| - (?=\|$)/gm, "| ")
    .replace(/^#+ Type Parameters\n\n\| Type Parameter \|\n[^]*?\n\n/gm, "");
  return `# ${name}\n\n${mergeThrows(body).trim()}\n\nExported by \`${entryPoint}\`.\n`;
}

/** Merges the errors that a function throws into one list with one heading. */
function mergeThrows(markdown: string): string {
  const blocks = markdown.split(/\n(?=#+ )/);
  const merged: string[] = [];
  for (const block of blocks) {
    const [, heading, text] = /^(#+ Throws)\n\n([^]*)$/.exec(block) ?? [];
    const item = text?.trim().replace(/\s*\n\s*/g, " ");
    if (heading === undefined) merged.push(block);
    else if (merged.at(-1)?.startsWith(heading)) merged.push(`${merged.pop()?.trimEnd()}\n- ${item}\n`);
    else merged.push(`${heading}\n\n- ${item}\n`);
  }
  return merged.join("\n");
}

/** Returns the source file of an export. That of generated ones is the spec. */
function sourceOf(reflection: DeclarationReflection, project: ProjectReflection, folder: string): string {
  const file = project.getSymbolIdFromReflection(reflection)?.packagePath;
  if (file === undefined) throw new Error(`TypeDoc does not report the source of ${reflection.name}`);
  return file.endsWith(".gen.ts") ? "openapi/openapi.yaml" : posix.join(folder, file);
}

function summaryOf(one: DeclarationReflection): string {
  const comment = one.comment ?? one.signatures?.[0]?.comment;
  return comment
    ? Comment.combineDisplayParts(comment.summary)
        .replace(/\{@link (\w+)\}/g, "`$1`")
        .replace(/\s+/g, " ")
        .trim()
    : "";
}
