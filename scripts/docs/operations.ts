import { parse } from "yaml";
import { publishedDocument } from "../generate/published.ts";
import type { PlacedOperation } from "../spec.ts";
import type { NavGroup, NavLink, Page } from "./site.ts";
import { describe } from "../generate/describe.ts";
import { commandSample, curlSample, inMarkdown, sampleCalls, typescriptSample, type SampleCall } from "./samples.ts";
import { fieldsTable, table, type SpecPages } from "./tables.ts";

/** The API's part of the site. */
export interface OperationPages {
  readonly pages: readonly Page[];
  readonly sidebar: readonly NavGroup[];
  /** The sidebar of Redoc's page. */
  readonly redocSidebar: readonly NavGroup[];
  /** The spec as one JSON document, with samples of each operation. */
  readonly bundle: string;
}

const source = "openapi/openapi.yaml";

/** Creates the pages of the operations. The first is the overview, which Redoc replaces. */
export function operationPages(yaml: string, specPages: SpecPages): OperationPages {
  const calls = sampleCalls(specPages.spec);
  const operations = calls.map(({ operation }) => operation);
  const links = (tag: string, within: boolean) =>
    operations
      .filter(({ tags }) => tags[0] === tag)
      .map((operation): NavLink => {
        return {
          path: `api/${operation.operationId}`,
          title: operation.summary.replace(/ (?:a video|images) (?=with)/, " "), // The group says which.
          ...(within ? { anchor: redocRoute(operation) } : {}),
        };
      });
  const tags = [...new Set(operations.map(({ tags: [tag] }) => tag))];
  const first = {
    title: "",
    links: [
      { path: "api", title: "Complete reference" },
      { path: "guides/assumptions", title: "Assumptions about the service" },
      { path: "api/openapi.yaml", title: "openapi.yaml" },
      { path: "api/openapi.json", title: "openapi.json" },
    ],
  };
  return {
    pages: [overviewPage(specPages, operations, yaml), ...calls.map(operationPage)],
    sidebar: [first, ...tags.map((tag) => ({ title: tag, links: links(tag, false) }))],
    redocSidebar: [first, ...tags.map((tag) => ({ title: tag, links: links(tag, true) }))],
    bundle: bundleOf(yaml, calls),
  };
}

/** Returns the published spec with samples in Redoc's format. */
function bundleOf(yaml: string, calls: readonly SampleCall[]): string {
  const document = publishedDocument(parse(yaml)) as {
    readonly paths: Readonly<Record<string, { readonly post: object }>>;
  };
  for (const call of calls)
    Object.assign(document.paths[call.operation.path]?.post ?? {}, {
      "x-codeSamples": [
        { lang: "TypeScript", label: "TypeScript", source: typescriptSample(call) },
        { lang: "Shell", label: "curl", source: curlSample(call) },
      ],
    });
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Returns Redoc's route of an operation. */
export function redocRoute({ tags: [tag], operationId }: Pick<PlacedOperation, "tags" | "operationId">): string {
  return `#/${tag.toLowerCase()}/${operationId.toLowerCase()}`;
}

function operationPage(call: SampleCall): Page {
  const { operation, body } = call;
  const { operationId, summary, description, path, requestBody, responses } = operation;
  const [type] = Object.keys(requestBody.content);
  const answers = Object.entries(responses["200"]?.content["application/json"]?.examples ?? {}) as [
    string,
    { readonly summary?: string; readonly value: unknown },
  ][];
  const notes = [
    body.description,
    body["x-assumption"] && `Assumed: ${body["x-assumption"]}`,
    body.anyOf &&
      `At least one of ${body.anyOf.flatMap(({ required = [] }) => required.map((name) => `\`${name}\``)).join(", ")}.`,
  ];
  const markdown = [
    `# ${summary}`,
    `\`POST\` \`${path}\``,
    description.trim(),
    `The operation is \`${operationId}\`, and its body is \`${type}\`. [Try it in the playground](../playground.md#${operationId}), or see it [in the complete reference](../api.md${redocRoute(operation)}).`,
    "## Sample",
    `\`\`\`ts tab="TypeScript"\n${typescriptSample(call)}\`\`\``,
    `\`\`\`sh tab="curl"\n${curlSample(call)}\`\`\``,
    `\`\`\`sh tab="Command line"\n${commandSample(call)}\`\`\``,
    "## Fields",
    ...notes.filter((note) => typeof note === "string").map((note) => note.trim()),
    fieldsTable(body),
    "## Responses",
    "Each is JSON with HTTP status 200; the outcome is in `code`.",
    ...answers.flatMap(([name, { summary: what, value }]) => [
      `### ${name}`,
      `${what}.`,
      `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``,
    ]),
    ...answerFields(operation),
  ];
  return {
    path: `api/${operationId}`,
    section: "api",
    title: summary,
    description: description.trim().split("\n\n")[0]?.replace(/\s+/g, " ") ?? "",
    markdown: `${markdown.join("\n\n")}\n`,
    source,
  };
}

/** Returns a table of the `data` in a successful response. */
function answerFields({ responses }: PlacedOperation): string[] {
  const shapes = responses["200"]?.content["application/json"]?.schema.oneOf ?? [];
  const data = shapes.map(({ properties }) => properties?.["data"]).find((schema) => schema?.properties);
  if (!data) return [];
  const rows = Object.entries(data.properties ?? {}).map(([name, schema]) => [
    `\`${name}\``,
    describe(schema, inMarkdown),
    schema.description ?? "",
  ]);
  const assumed = data["x-assumption"] ? [`Assumed: ${data["x-assumption"].trim()}`] : [];
  return ["### Data of a successful response", ...assumed, table(["Field", "Type", "What it is"], rows)];
}

function overviewPage({ spec }: SpecPages, operations: readonly PlacedOperation[], yaml: string): Page {
  const { info } = parse(yaml) as {
    readonly info: { readonly title: string; readonly summary: string; readonly description: string };
  };
  const rows = operations.map(({ operationId, summary, path }) => [
    `[\`${operationId}\`](api/${operationId}.md)`,
    summary,
    `\`${path}\``,
  ]);
  const markdown = [
    `# ${info.title}`,
    info.summary,
    "Download the description: [openapi.yaml](api/openapi.yaml), or [openapi.json](api/openapi.json) for generators and other tools, with a sample of each operation.",
    "## Operations",
    table(["Operation", "What it does", "POST to"], rows),
    info.description.trim(),
  ];
  return {
    path: "api",
    section: "api",
    title: "API reference",
    description: `${info.summary} All ${Object.keys(spec.paths).length} operations, each with samples.`,
    markdown: `${markdown.join("\n\n")}\n`,
    layout: "redoc",
    scripts: ["api.js"],
    styles: ["api.css"],
    source,
  };
}
