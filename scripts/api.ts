import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { createTwoFilesPatch } from "diff";

const packages = new URL("../packages/", import.meta.url);

/** The packages with an `api.md` next to their package.json, which shows their public API. */
export const reported: readonly string[] = [
  "sdk",
  "emulator",
  "stores",
  "proxy",
  "batch",
  "mcp",
  "ai-sdk-provider",
];

/** The fields of a package.json that name its entry points. */
interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

/**
 * Returns the public API of the built packages as Markdown: the declarations of each entry point
 * but the kit, without comments.
 */
export async function apis(): Promise<ReadonlyMap<string, string>> {
  const entries = await Promise.all(
    reported.map(async (name) => [name, await entryPointsOf(name)] as const),
  );
  const files = entries.flatMap(([, entry]) => entry.files.map(([, file]) => file));
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: ["node"],
    skipLibCheck: true,
  });
  return new Map(entries.map(([name, entry]) => [name, apiOf(program, entry)]));
}

interface EntryPoints {
  readonly root: string;
  readonly name: string;
  readonly files: readonly (readonly [path: string, file: string])[];
}

async function entryPointsOf(directory: string): Promise<EntryPoints> {
  const root = new URL(`${directory}/`, packages);
  // The cast: each package's manifest has both.
  const { name, exports } = JSON.parse(
    await readFile(new URL("package.json", root), "utf8"),
  ) as Manifest;
  // The conditions of an entry point have different code, but the same types.
  const files = Object.entries(exports)
    .map(([path, target]) => [path, typeof target === "string" ? target : target.default] as const)
    .filter(([path, file]) => file.endsWith(".js") && path !== "./kit")
    .map(
      ([path, file]) =>
        [path, fileURLToPath(new URL(file.replace(/\.js$/, ".d.ts"), root))] as const,
    );
  return { root: fileURLToPath(root), name, files };
}

function apiOf(program: ts.Program, { root, name, files }: EntryPoints): string {
  const surface = createSurface(program, root);
  const sections = files.map(
    ([path, file]) => `## ${name}${path.slice(1)}\n\n${surface.entryPoint(file)}`,
  );
  const note =
    "Made by `npm run api`; edits are lost. A change here is a change for users. What comes from the spec is in src/*.gen.ts.";
  return `# The public surface of ${name}\n\n${note}\n\n${sections.join("\n\n")}\n`;
}

/** Prints the entry points of one package, each export once. */
function createSurface(program: ts.Program, root: string) {
  const checker = program.getTypeChecker();
  const printer = ts.createPrinter({ removeComments: true });
  const shown = new Set<ts.Symbol>();
  const isOurs = (file: ts.SourceFile) => file.fileName.startsWith(root.replaceAll("\\", "/"));
  // Generated files are committed, so reviews show their changes anyway.
  const isMachineWritten = (file: ts.SourceFile) => file.fileName.includes(".gen.");

  function behind(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  function declarationsOf(symbol: ts.Symbol): readonly ts.Declaration[] {
    return (symbol.declarations ?? []).filter(
      (declaration) =>
        isOurs(declaration.getSourceFile()) && !isMachineWritten(declaration.getSourceFile()),
    );
  }

  function print(symbol: ts.Symbol): string {
    const texts = declarationsOf(symbol).map((declaration) => {
      const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
      return printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
    });
    return texts.join("\n").replace(/\bexport (declare )?|\bdeclare /g, "");
  }

  return {
    entryPoint(fileName: string): string {
      const file = program.getSourceFile(fileName);
      const module = file && checker.getSymbolAtLocation(file);
      if (!module) throw new Error(`${fileName} does not exist. Run "npm run build" first.`);
      const exported = checker
        .getExportsOfModule(module)
        .map(behind)
        .filter((symbol) => declarationsOf(symbol).length > 0 && !shown.has(symbol));
      if (exported.length === 0)
        return "A command: it runs where it is imported, and exports nothing.";
      for (const symbol of exported) shown.add(symbol);
      return `\`\`\`ts\n${exported.map(print).sort().join("\n")}\n\`\`\``;
    },
  };
}

/** Writes each package's `api.md`, and shows what has changed. */
async function writeApis(): Promise<void> {
  for (const [name, text] of await apis()) {
    const file = new URL(`${name}/api.md`, packages);
    const committed = await readFile(file, "utf8").catch(() => "");
    if (text === committed) continue;
    await writeFile(file, text);
    console.log(
      createTwoFilesPatch(`packages/${name}/api.md`, `packages/${name}/api.md`, committed, text),
    );
  }
  console.log("packages/*/api.md match the built packages.");
}

if (import.meta.main) await writeApis();
