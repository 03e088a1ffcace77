import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Application,
  Comment,
  LogLevel,
  OptionDefaults,
  normalizePath,
  ReflectionKind,
  resetReflectionID,
  type DeclarationReflection,
  type ParameterReflection,
  type ProjectReflection,
  type SignatureReflection,
  type SomeType,
  type TypeDocOptions,
} from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";
import type { Spec } from "../spec.ts";
import { entryPoints } from "./navigation.ts";
import { referencePages, unknownRepository } from "./reference-pages.ts";

/**
 * Reads the packages' sources with TypeDoc. Its warnings are errors, such as that of an export
 * without a description.
 */
export async function readReference(spec: Spec, repository = unknownRepository) {
  const out = mkdtempSync(join(tmpdir(), "mediagen-reference-"));
  try {
    resetReflectionID(); // The JSON of two builds in one process is the same.
    const sourceLinkTemplate = `${repository}/blob/main/packages/{path}#L{line}`;
    const app = await Application.bootstrapWithPlugins({ ...options, sourceLinkTemplate, out });
    app.converter.on("resolveBegin", ({ project }) => {
      // Users catch errors and do not create them. The types of openapi-fetch are on the pages of
      // the operations.
      for (const one of project.getReflectionsByKind(
        ReflectionKind.Constructor | ReflectionKind.Interface,
      ))
        if (one.kind === ReflectionKind.Constructor || one.name === "paths")
          project.removeReflection(one);
      // Puts the overload that checks the form first, although TypeScript tries the other one
      // first.
      for (const { signatures } of project.getReflectionsByKind(
        ReflectionKind.Method,
      ) as DeclarationReflection[])
        signatures?.sort((one, other) => Number(isUnchecked(one)) - Number(isUnchecked(other)));
      for (const { comment } of Object.values(project.reflections)) {
        const [first, ...more] = comment?.getTags("@throws") ?? [];
        if (!comment || !first) continue;
        first.content = [first, ...more].flatMap(({ content }) => [
          { kind: "text", text: "\n- " },
          ...content,
        ]);
        comment.blockTags = comment.blockTags.filter((tag) => !more.includes(tag));
      }
    });
    app.converter.on("resolveEnd", ({ project }) => describeParameters(project));
    const project = await app.convert();
    if (project) app.validate(project);
    if (!project || app.logger.hasWarnings() || app.logger.hasErrors())
      throw new Error("TypeDoc has warned (see above). Every export needs a description");
    await app.generateOutputs(project);
    const json = JSON.stringify(
      app.serializer.projectToObject(project, normalizePath(process.cwd())),
    );
    return { ...(await referencePages(out, project, spec)), json };
  } finally {
    rmSync(out, { recursive: true });
  }
}

/**
 * Gives each parameter without a `@param` the description of its type, or else that of the field
 * that it is named after.
 */
function describeParameters(project: ProjectReflection): void {
  const owners = ["ModelInfo", "GenerateOptions", "GenerationEntry", "Task"];
  const all = project.getReflectionsByKind(ReflectionKind.Property);
  const fields = new Map(
    all.filter(({ parent }) => owners.includes(parent?.name ?? "")).map((one) => [one.name, one]),
  );
  for (const one of project.getReflectionsByKind(
    ReflectionKind.Parameter,
  ) as ParameterReflection[]) {
    const { comment } = declarationOf(one.type) ?? fields.get(one.name) ?? {};
    if (comment) one.comment ??= new Comment(Comment.cloneDisplayParts(comment.summary));
  }
}

/** Returns the export that declares a type. */
function declarationOf(type: SomeType | undefined): DeclarationReflection | undefined {
  if (type?.type === "intersection") return declarationOf(type.types.at(-1));
  const own =
    type?.type === "reference" ? (type.reflection as DeclarationReflection | undefined) : undefined;
  return own?.kind === ReflectionKind.TypeParameter ? declarationOf(own.type) : own;
}

function isUnchecked({ parameters = [] }: SignatureReflection): boolean {
  return parameters.some(({ type }) => String(type) === "UncheckedOptions");
}

const options = {
  // openapi-typescript writes these.
  blockTags: [...OptionDefaults.blockTags, "@description", "@constant"],
  entryPoints: entryPoints.map(({ source }) => source),
  tsconfig: "docs/site/tsconfig.reference.json",
  plugin: ["typedoc-plugin-markdown"],
  logLevel: LogLevel.Warn,
  readme: "none",
  router: "member",
  sort: ["source-order"],
  skipErrorChecking: true, // The build has checked them.
  excludeExternals: true,
  excludeInternal: true,
  disableGit: true,
  validation: { notDocumented: true }, // The other checks are on by default.
  requiredToBeDocumented: ["Variable", "Function", "Class", "Interface", "TypeAlias"],
  packagesRequiringDocumentation: [
    ...new Set(entryPoints.map(({ name }) => name.split("/").slice(0, 2).join("/"))),
  ],
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
  tableColumnSettings: {
    hideDefaults: true,
    hideModifiers: true,
    hideInherited: true,
    hideOverrides: true,
    hideSources: true,
  },
} satisfies TypeDocOptions & PluginOptions;
