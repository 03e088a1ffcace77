import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { redocly } from "./redocly.ts";
import { specFile } from "./spec.ts";

/** The spec of the last release. `npm run release` copies it here. */
export const releasedFile = new URL("../openapi/released.yaml", import.meta.url);

const changesets = new URL("../.changeset/", import.meta.url);
const bumps = ["none", "patch", "minor", "major"] as const;

/** A version step. */
export type Bump = (typeof bumps)[number];

/** One change of the spec, as `redocly diff` reports it. */
interface Change {
  readonly path: string;
  readonly kind: "added" | "removed" | "modified";
  readonly impact: Bump;
  readonly property?: string;
  readonly base?: { readonly value: unknown };
  readonly revision?: { readonly value: unknown };
}

/** Returns the version step that the changes between two specs need, by Semantic Versioning. In 0.x, a minor step replaces a major one. */
export function bumpFor(released: string, spec: string, version: string): Bump {
  const { printed } = redocly("diff", [released, spec, "--format", "json", "--fail-on", "none"], true);
  // The cast: the shape of Redocly's report, version 1.
  const { changes } = JSON.parse(printed) as { readonly changes: readonly Change[] };
  const bump = largest(changes.map(rate));
  return version.startsWith("0.") && (bump === "major" || bump === "minor") ? smaller(bump) : bump;
}

/** Returns Redocly's rating, corrected for users of the SDK: it rejects fields that are not in the spec, and checks pixels. */
function rate({ path, kind, impact, property, base, revision }: Change): Bump {
  const narrowed =
    property === "minimum"
      ? Number(revision?.value) > Number(base?.value)
      : Number(revision?.value) < Number(base?.value);
  if (kind === "removed" && /requestBody\/.*\/properties\/[^/]+$/.test(path)) return "major";
  if (path.endsWith("/x-total-pixels") && (kind === "added" || (kind === "modified" && narrowed))) return "major";
  return impact;
}

/** Returns the version step of the SDK in the unreleased changesets. */
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

/** Returns the latest released version of the SDK. */
export async function releasedVersion(): Promise<string> {
  const manifest = await readFile(new URL("../packages/sdk/package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

/** Shows the changes of the spec since the last release. Fails if the changesets have a smaller version step than these need. */
export default async function run(): Promise<void> {
  const [released, spec] = [fileURLToPath(releasedFile), fileURLToPath(specFile)];
  redocly("diff", [released, spec, "--fail-on", "none"]);
  const demanded = bumpFor(released, spec, await releasedVersion());
  const given = await bumpOfChangesets();
  console.log(`Version step that the spec needs: ${demanded}. Version step of the changesets: ${given}.`);
  if (!reaches(given, demanded)) {
    console.error(`Run \`npx changeset\` and choose at least ${demanded} for @mediagen/sdk.`);
    process.exitCode = 1;
  }
}
