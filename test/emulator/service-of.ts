import type { Service } from "@mediagen/emulator";
import ts from "typescript";
import { operationsTable, validatorsFile } from "../../scripts/generate/service.ts";
import type { Spec } from "../../scripts/spec.ts";

/** The service of another spec, as the generator makes it. */
export async function serviceOf(spec: Pick<Spec, "paths">): Promise<Service> {
  const module = ts.transpile(validatorsFile(spec as Spec), { target: ts.ScriptTarget.ESNext });
  const script = `data:text/javascript,${encodeURIComponent(module)}`;
  const { validators } = (await import(/* @vite-ignore */ script)) as Pick<Service, "validators">;
  return { operations: operationsTable(spec as Spec) as Service["operations"], validators };
}
