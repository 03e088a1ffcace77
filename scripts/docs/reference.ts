import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Application,
  LogLevel,
  OptionDefaults,
  normalizePath,
  ReflectionKind,
  resetReflectionID,
  type DeclarationReflection,
  type ParameterReflection,
  type SignatureReflection,
  type TypeDocOptions,
} from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";
import type { Spec } from "../spec.ts";
import { entryPoints } from "./navigation.ts";
import { referencePages } from "./reference-pages.ts";

/** Reads the packages' sources with TypeDoc. Its warnings are errors, such as that of an export without a description. */
export async function readReference(spec: Spec) {
  const out = mkdtempSync(join(tmpdir(), "mediagen-reference-"));
  try {
    resetReflectionID(); // The JSON of two builds in one process is the same.
    const app = await Application.bootstrapWithPlugins({ ...options, out });
    app.converter.on("resolveBegin", ({ project }) => {
      // Constructors are left out, because users catch errors and do not create them.
      for (const one of project.getReflectionsByKind(ReflectionKind.Constructor)) project.removeReflection(one);
      // The pages of the operations show these better.
      for (const one of project.getReflectionsByKind(ReflectionKind.TypeAlias | ReflectionKind.Interface)) {
        if (one.name === generatedTypes) project.removeReflection(one);
      }
      // Puts the overload that checks the form first, although TypeScript tries the other one first.
      for (const { signatures } of project.getReflectionsByKind(ReflectionKind.Method) as DeclarationReflection[])
        signatures?.sort((one, other) => Number(isUnchecked(one)) - Number(isUnchecked(other)));
      // A destructured parameter has no name, so it gets one from its type.
      for (const one of project.getReflectionsByKind(ReflectionKind.Parameter)) {
        const type = String((one as ParameterReflection).type);
        if (one.name === "__namedParameters") one.name = type.endsWith("Options") ? "options" : type.toLowerCase();
      }
      for (const { comment } of Object.values(project.reflections)) {
        const [first, ...more] = comment?.getTags("@throws") ?? [];
        if (!comment || !first) continue;
        first.content = [first, ...more].flatMap(({ content }) => [{ kind: "text", text: "\n- " }, ...content]);
        comment.blockTags = comment.blockTags.filter((tag) => !more.includes(tag));
      }
    });
    const project = await app.convert();
    if (project) app.validate(project);
    if (!project || app.logger.hasWarnings() || app.logger.hasErrors())
      throw new Error("TypeDoc has warned (see above). Every export needs a description");
    await app.generateOutputs(project);
    // For programs.
    const json = JSON.stringify(app.serializer.projectToObject(project, normalizePath(process.cwd())));
    return { ...(await referencePages(out, project, spec)), json };
  } finally {
    rmSync(out, { recursive: true });
  }
}

function isUnchecked({ parameters = [] }: SignatureReflection): boolean {
  return parameters.some(({ type }) => String(type) === "UncheckedOptions");
}

/** The export of `@mediagen/sdk/http` that types openapi-fetch. */
const generatedTypes = "paths";

const options = {
  blockTags: [...OptionDefaults.blockTags, "@description", "@constant"], // openapi-typescript writes these.
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
  disableSources: true,
  validation: {
    notDocumented: true, // The other checks are on by default.
  },
  requiredToBeDocumented: ["Variable", "Function", "Class", "Interface", "TypeAlias"],
  packagesRequiringDocumentation: [...new Set(entryPoints.map(({ name }) => name.split("/").slice(0, 2).join("/")))],
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
  },
} satisfies TypeDocOptions & PluginOptions;
