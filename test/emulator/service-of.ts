import type { Service } from "@mediagen/emulator";
import { operationsTable, validatorsFile } from "../../scripts/generate/service.ts";
import type { Spec } from "../../scripts/spec.ts";

/** The service of another spec, as the generator makes it. */
export async function serviceOf(spec: Pick<Spec, "paths">): Promise<Service> {
  const script = `data:text/javascript,${encodeURIComponent(validatorsFile(spec as Spec))}`;
  const { validators } = (await import(/* @vite-ignore */ script)) as Pick<Service, "validators">;
  return { operations: operationsTable(spec as Spec) as Service["operations"], validators };
}
