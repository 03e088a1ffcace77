import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import {
  Application,
  Comment,
  LogLevel,
  OptionDefaults,
  ReflectionKind,
  type DeclarationReflection,
  type ProjectReflection,
  type TypeDocOptions,
} from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";
import { twinOf, type NavGroup, type Page } from "./page.ts";
import { table } from "./tables.ts";

/** The reference of both packages. */
export interface Reference {
  readonly pages: readonly Page[];
  readonly sidebar: readonly NavGroup[];
  /** The page of an export, by its name; the first entry point wins. */
  readonly pageOf: ReadonlyMap<string, string>;
}

/** The entry points of the packages: their sources as TypeDoc names them, and the paths of their pages. */
const entryPoints = [
  {
    module: "sdk/src",
    path: "sdk",
    name: "@mediagen/sdk",
    intro: "Runs wherever `fetch` runs. Everything here is exported by `@mediagen/sdk/node` too.",
  },
  {
    module: "sdk/src/node",
    path: "sdk/node",
    name: "@mediagen/sdk/node",
    intro: "The same client on its own transport on node:http, with files and a file store.",
  },
  {
    module: "sdk/src/http",
    path: "sdk/http",
    name: "@mediagen/sdk/http",
    intro: "The low-level client: openapi-fetch, typed by the spec.",
  },
  {
    module: "batch/src",
    path: "sdk/batch",
    name: "@mediagen/batch",
    intro: "A directory of results from a file of forms.",
  },
  {
    module: "emulator/src",
    path: "sdk/emulator",
    name: "@mediagen/emulator",
    intro: "The service on this machine, as a function from Request to Response.",
  },
  {
    module: "emulator/src/node",
    path: "sdk/emulator-node",
    name: "@mediagen/emulator/node",
    intro: "The emulator as an HTTP server, and a file for its state.",
  },
] as const;

/** The order in which an entry point's exports are listed. */
const groups: readonly (readonly [folder: string, title: string])[] = [
  ["functions", "Functions"],
  ["classes", "Errors"],
  ["interfaces", "Interfaces"],
  ["type-aliases", "Types"],
  ["variables", "Values"],
];

/** Reads the packages' sources by TypeDoc. Whatever it warns of, an export without a description among it, is an error. */
export async function readReference(): Promise<Reference> {
  const out = mkdtempSync(join(tmpdir(), "mediagen-reference-"));
  try {
    const app = await Application.bootstrapWithPlugins({ ...options, out });
    app.converter.on("resolveBegin", ({ project }) => {
      // Users catch errors and do not create them, so the parameters of constructors are left out.
      for (const one of project.getReflectionsByKind(ReflectionKind.Constructor)) project.removeReflection(one);
      // The pages of the operations show these better.
      for (const one of project.getReflectionsByKind(ReflectionKind.TypeAlias | ReflectionKind.Interface)) {
        if (one.name === generatedTypes) project.removeReflection(one);
      }
    });
    const project = await app.convert();
    if (project) app.validate(project);
    if (!project || app.logger.hasWarnings() || app.logger.hasErrors())
      throw new Error("TypeDoc is not content: every export and its fields need a true sentence each");
    await app.generateOutputs(project);
    return readOutput(out, project);
  } finally {
    rmSync(out, { recursive: true });
  }
}

/** The export of `@mediagen/sdk/http` that types openapi-fetch. */
const generatedTypes = "paths";

const options = {
  blockTags: [...OptionDefaults.blockTags, "@description", "@constant"], // openapi-typescript writes these.
  entryPoints: [
    "packages/sdk/src/index.ts",
    "packages/sdk/src/node.ts",
    "packages/sdk/src/http.ts",
    "packages/batch/src/index.ts",
    "packages/emulator/src/index.ts",
    "packages/emulator/src/node.ts",
  ],
  tsconfig: "docs/site/tsconfig.reference.json",
  plugin: ["typedoc-plugin-markdown"],
  logLevel: LogLevel.Warn,
  readme: "none",
  router: "member",
  sort: ["source-order"],
  skipErrorChecking: true, // The build has checked them.
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  disableSources: true,
  disableGit: true,
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
  validation: {
    notExported: true,
    invalidLink: true,
    invalidPath: true,
    rewrittenLink: true,
    notDocumented: true,
    unusedMergeModuleWith: true,
  },
  packagesRequiringDocumentation: ["@mediagen/sdk", "@mediagen/batch", "@mediagen/emulator"],
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  expandParameters: true,
  pageTitleTemplates: { member: ({ name }: { name: string }) => name },
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  propertyMembersFormat: "table",
  parametersFormat: "table",
  typeDeclarationFormat: "table",
  tableColumnSettings: { hideModifiers: true, hideInherited: true, hideOverrides: true, hideSources: true },
} satisfies TypeDocOptions & PluginOptions;

interface Export {
  readonly name: string;
  readonly folder: string;
  readonly file: string;
  readonly path: string;
  readonly summary: string;
  /** The file of the repository that it is written in. */
  readonly source: string;
}

function readOutput(out: string, project: ProjectReflection): Reference {
  const exports = entryPoints.map((entryPoint) => {
    const module = project.children?.find(({ name }) => name === entryPoint.module);
    return groups.flatMap(([folder]) =>
      filesIn(join(out, entryPoint.module, folder)).map((file): Export => {
        const name = file.replace(/\.md$/, "");
        const reflection = module?.children?.find((one) => one.name === name);
        const source = sourceOf(reflection, project, `packages/${entryPoint.module.split("/")[0]}`);
        return {
          name,
          folder,
          file: posix.join(entryPoint.module, folder, file),
          path: `${entryPoint.path}/${name}`,
          summary: summaryOf(reflection),
          source,
        };
      }),
    );
  });
  const all = exports.flat();
  const pathOf = new Map(all.map(({ file, path }) => [file, path]));
  const pageOf = new Map([...all].reverse().map(({ name, path }) => [name, path]));
  for (const entryPoint of entryPoints) pathOf.set(`${entryPoint.module}/README.md`, entryPoint.path);
  const pages = entryPoints.flatMap((entryPoint, index): Page[] => {
    const own = exports[index] ?? [];
    const lists = groups.flatMap(([folder, title]) => {
      const rows = own
        .filter((one) => one.folder === folder)
        .map(({ name, path, summary }) => [`[\`${name}\`](${linkTo(entryPoint.path, path)})`, summary]);
      return rows.length === 0 ? [] : [`## ${title}\n`, table(["Name", "What it is"], rows)];
    });
    const overview = {
      path: entryPoint.path,
      section: "sdk",
      title: entryPoint.name,
      description: entryPoint.intro.replaceAll("`", ""),
      source: "scripts/docs/reference.ts",
    };
    const members = own.map(({ name, path, file, summary, source }): Page => {
      const title = name;
      const markdown = tidy(readFileSync(join(out, file), "utf8"), name, entryPoint.name).replace(
        /\]\(([^)\s#]+\.md)/g,
        (_, link: string) => {
          const target = posix.join(posix.dirname(file), link);
          const page = pathOf.get(target);
          if (page === undefined) throw new Error(`${file} links to ${link}, which is no page`);
          return `](${linkTo(path, page)}`;
        },
      );
      return {
        path,
        section: "sdk",
        title,
        place: `SDK / ${entryPoint.name}`,
        description: summary.replace(/[`[\]]|\(.*?\.md\)/g, ""),
        markdown,
        source,
      };
    });
    return [
      { ...overview, markdown: [`# ${entryPoint.name}`, "", entryPoint.intro, "", ...lists].join("\n") },
      ...members,
    ];
  });
  const sidebar = entryPoints.flatMap((entryPoint, index): NavGroup[] => {
    const links = (exports[index] ?? []).map(({ name, path }) => ({ path, title: name, code: true }));
    return [{ title: entryPoint.name, folded: true, links: [{ path: entryPoint.path, title: "Overview" }, ...links] }];
  });
  return { pages, sidebar, pageOf };
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith(".md"))
      .sort((a, b) => a.localeCompare(b, "en"));
  } catch {
    return []; // An entry point need not have every sort of export.
  }
}

function linkTo(from: string, to: string): string {
  return posix.relative(posix.dirname(twinOf({ path: from })), twinOf({ path: to }));
}

/** TypeDoc's Markdown in the site's manner: what it is imported from first, and one list of what is thrown. */
function tidy(markdown: string, name: string, entryPoint: string): string {
  const [, ...lines] = markdown.split("\n");
  // What a type parameter is called says nothing that the signature does not.
  const body = lines
    .join("\n")
    .replace(/^\*\*\*\n\n/gm, "")
    .replace(/^#+ Type Parameters\n\n\| Type Parameter \|\n[^]*?\n\n/gm, "");
  return `# ${name}\n\n${mergeThrows(body).trim()}\n\nExported by \`${entryPoint}\`.\n`;
}

/** One heading for the errors that a function throws, and a list of them. */
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

/** The file that an export is written in; what is generated is written in the spec. */
function sourceOf(reflection: DeclarationReflection | undefined, project: ProjectReflection, folder: string): string {
  const file = reflection && project.getSymbolIdFromReflection(reflection)?.packagePath;
  if (file === undefined) throw new Error(`TypeDoc does not tell where ${reflection?.name ?? "an export"} is written`);
  return file.endsWith(".gen.ts") ? "openapi/openapi.yaml" : posix.join(folder, file);
}

function summaryOf(one: DeclarationReflection | undefined): string {
  const comment = one?.comment ?? one?.signatures?.[0]?.comment;
  return comment
    ? Comment.combineDisplayParts(comment.summary)
        .replace(/\{@link (\w+)\}/g, "`$1`")
        .replace(/\s+/g, " ")
        .trim()
    : "";
}
