import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { redocly } from "./redocly.ts";
import { specFile } from "./spec.ts";

/** The spec as the last release had it: `npm run release` copies it here. */
export const releasedFile = new URL("../openapi/released.yaml", import.meta.url);

const changesets = new URL("../.changeset/", import.meta.url);
const bumps = ["none", "patch", "minor", "major"] as const;

/** A step of a version, the smallest first. */
export type Bump = (typeof bumps)[number];

/** What one place of the spec has become, as `redocly diff` reports it. */
interface Change {
  readonly path: string;
  readonly kind: "added" | "removed" | "modified";
  readonly impact: Bump;
  readonly property?: string;
  readonly base?: { readonly value: unknown };
  readonly revision?: { readonly value: unknown };
}

/** How much the changes between two specs ask of a version, by Semantic Versioning; 0.x steps in minors where others step in majors. */
export function bumpFor(released: string, spec: string, version: string): Bump {
  const { printed } = redocly("diff", [released, spec, "--format", "json", "--fail-on", "none"], true);
  // The cast: the shape of Redocly's report, version 1.
  const { changes } = JSON.parse(printed) as { readonly changes: readonly Change[] };
  const bump = largest(changes.map(rate));
  return version.startsWith("0.") && (bump === "major" || bump === "minor") ? smaller(bump) : bump;
}

/** Redocly's rating, but for what only users of the SDK see: the SDK rejects fields that the spec does not name, and knows of pixels. */
function rate({ path, kind, impact, property, base, revision }: Change): Bump {
  const narrowed =
    property === "minimum"
      ? Number(revision?.value) > Number(base?.value)
      : Number(revision?.value) < Number(base?.value);
  if (kind === "removed" && /requestBody\/.*\/properties\/[^/]+$/.test(path)) return "major";
  if (path.endsWith("/x-total-pixels") && (kind === "added" || (kind === "modified" && narrowed))) return "major";
  return impact;
}

/** How much the changesets that are not released yet ask of the SDK's version. */
export async function bumpOfChangesets(): Promise<Bump> {
  const files = (await readdir(changesets)).filter((name) => name.endsWith(".md") && name !== "README.md");
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, changesets), "utf8")));
  const asked = texts.flatMap((text) => {
    // The cast: a changeset begins with the packages and their steps.
    const steps = parse(text.split("---")[1] ?? "") as Readonly<Record<string, Bump>> | null;
    return steps?.["@mediagen/sdk"] ?? [];
  });
  return largest(asked);
}

/** Whether one step is at least as large as another. */
export function reaches(bump: Bump, demanded: Bump): boolean {
  return bumps.indexOf(bump) >= bumps.indexOf(demanded);
}

function largest(all: readonly Bump[]): Bump {
  return all.reduce((one, other) => (reaches(one, other) ? one : other), "none");
}

function smaller(bump: Bump): Bump {
  return bumps[bumps.indexOf(bump) - 1] ?? "none";
}

/** The version of the SDK that was released last. */
export async function releasedVersion(): Promise<string> {
  const manifest = await readFile(new URL("../packages/sdk/package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

/** Shows what has changed in the spec since the last release, and fails where no changeset steps far enough for it. */
export default async function run(): Promise<void> {
  const [released, spec] = [fileURLToPath(releasedFile), fileURLToPath(specFile)];
  redocly("diff", [released, spec, "--fail-on", "none"]);
  const demanded = bumpFor(released, spec, await releasedVersion());
  const given = await bumpOfChangesets();
  console.log(`The spec asks for a step of at least: ${demanded}. The changesets step: ${given}.`);
  if (!reaches(given, demanded)) {
    console.error(`Run \`npx changeset\` and choose at least ${demanded} for @mediagen/sdk.`);
    process.exitCode = 1;
  }
}
