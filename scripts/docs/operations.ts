import { parse } from "yaml";
import { fragmentOf } from "../../docs/site/playground-link.ts";
import { publishedDocument } from "../generate/published.ts";
import { dataOf, exampleOf, readSpec, type PlacedOperation, type SpecSchema } from "../spec.ts";
import type { Page } from "./site.ts";
import { curlSample, sampleCalls, typescriptSample, type SampleCall } from "./samples.ts";
import { fieldsTable, table } from "./tables.ts";

const source = "openapi/openapi.yaml";

/**
 * Creates the pages of the operations: an overview, one page each, and one page for Redoc, which
 * shows all of them.
 */
export function operationPages(yaml: string) {
  const calls = sampleCalls(readSpec(yaml));
  const document = parse(yaml) as Described;
  const authentication = authenticationOf(document);
  const groups = [...Map.groupBy(calls, ({ operation: { tags } }) => tags[0])];
  return {
    pages: [
      overviewPage(document, calls, authentication),
      redocPage(document),
      ...calls.map((call) => operationPage(call, authentication)),
    ],
    sidebar: [
      {
        title: "",
        links: [
          { path: "api", title: "Overview" },
          { path: "api/redoc", title: "All on one page (Redoc)" },
          { path: "guides/assumptions", title: "Assumptions about the service" },
          { path: "api/openapi.yaml", title: "openapi.yaml" },
          { path: "api/openapi.json", title: "openapi.json" },
        ],
      },
      ...groups.map(([title, own]) => ({
        title,
        links: own.map(({ operation: { operationId, summary } }) => ({
          path: `api/${operationId}`,
          // The group says which.
          title: summary.replace(/ (?:an? (?:video|image)|images) (?=with)/, " "),
        })),
      })),
    ],
    /** In one sentence. */
    authentication: authentication.replace(/[`[\]]|\(.*?\)/g, ""),
    /** The spec as one JSON document, with samples of each operation. */
    bundle: bundleOf(yaml, calls),
  };
}

/** The parts of the spec's document that describe all operations. */
interface Described {
  readonly info: { readonly title: string; readonly summary: string; readonly description: string };
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly components: {
    readonly securitySchemes: Readonly<
      Record<string, { in: string; name: string; description: string }>
    >;
  };
}

/** Returns the spec's security scheme as a paragraph: first the header, then its description. */
function authenticationOf({ security, components: { securitySchemes } }: Described): string {
  const used = security.flatMap((one) => Object.keys(one).map((name) => securitySchemes[name]));
  const texts = used.map((scheme) => {
    if (scheme?.in !== "header")
      throw new Error("pages of operations explain API keys in a header only");
    return `Every request has the ${scheme.in} \`${scheme.name}\`. ${scheme.description.trim().replace(/\s+/g, " ")}`;
  });
  return texts.join(" ");
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
export function redocRoute({
  tags: [tag],
  operationId,
}: Pick<PlacedOperation, "tags" | "operationId">): string {
  return `#/${tag.toLowerCase()}/${operationId.toLowerCase()}`;
}

function operationPage(call: SampleCall, authentication: string): Page {
  const { operation, body } = call;
  const { operationId, summary, description, path, requestBody, responses } = operation;
  const [type] = Object.keys(requestBody.content);
  const texts = Object.entries(exampleOf(operation)).map(([name, value]) => [
    name,
    [value].flat().join("\n"),
  ]);
  const filledIn = fragmentOf({
    operation: operationId,
    fields: Object.fromEntries(texts),
    fault: undefined,
  });
  const notes = [
    body.description,
    ...assumed(body),
    body.anyOf &&
      `At least one of ${body.anyOf.flatMap(({ required = [] }) => required.map((name) => `\`${name}\``)).join(", ")}.`,
  ];
  const data = dataOf(operation);
  const [header = ""] = /`[^`]+`/.exec(authentication) ?? [];
  const markdown = [
    `# ${summary}`,
    `\`POST\` \`${path}\``,
    description.trim(),
    `The body is \`${type}\`, and the header ${header} is [the API key](../api.md#authentication). [Try it in the playground](../playground.md${filledIn}), or see it [among all operations](redoc.md${redocRoute(operation)}).`,
    "## Request",
    `\`\`\`ts tab="TypeScript"\n${typescriptSample(call)}\`\`\``,
    `\`\`\`sh tab="curl"\n${curlSample(call)}\`\`\``,
    "## Response",
    ...Object.entries(responses["200"]?.content["application/json"]?.examples ?? {}).map(
      ([name, { value }]) =>
        `\`\`\`json tab="${inWords(name)}"\n${JSON.stringify(value, null, 2)}\n\`\`\``,
    ),
    "## Fields",
    ...notes.filter((note) => typeof note === "string").map((note) => note.trim()),
    fieldsTable(body),
    "## Fields of the response",
    "Each response is JSON with HTTP status 200. The outcome is in `code`; a successful response has `data` with these fields.",
    ...assumed(data),
    fieldsTable({ properties: data.properties ?? {} }, "data"),
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

function assumed({ "x-assumption": text }: SpecSchema): readonly string[] {
  return text === undefined ? [] : [`Assumed: ${text.trim()}`];
}

/** Returns the name of an example as words: `insufficientCredits` is "insufficient credits". */
function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function overviewPage(
  { info }: Described,
  calls: readonly SampleCall[],
  authentication: string,
): Page {
  const rows = calls.map(({ operation: { operationId, summary, path } }) => [
    `[\`${operationId}\`](api/${operationId}.md)`,
    summary,
    `\`${path}\``,
  ]);
  const markdown = [
    `# ${info.title}`,
    info.summary,
    "Every operation is on its own page, with samples, limits and a link to the playground. [All of them on one page](api/redoc.md) are shown by Redoc.",
    "## Operations",
    table(["Operation", "What it does", "POST to"], rows),
    "## Authentication",
    authentication,
    "## Other languages",
    "Each operation has a sample for curl. Generators of clients read [openapi.json](api/openapi.json); [openapi.yaml](api/openapi.yaml) is the description as it is written.",
    info.description.trim(),
  ];
  return {
    path: "api",
    section: "api",
    title: "API reference",
    description: `${info.summary} All ${calls.length} operations, each with samples.`,
    also: "OpenAPI specification, spec, HTTP API, REST, endpoint, Authorization header, Swagger, Postman, Bearer token, Python, pip, Go, PHP, Java, C#",
    markdown: `${markdown.join("\n\n")}\n`,
    source,
  };
}

function redocPage({ info }: Described): Page {
  const title = "All operations on one page";
  return {
    path: "api/redoc",
    section: "api",
    title,
    description: `${info.title}: all operations on one page, shown by Redoc.`,
    markdown: `# ${title}\n\nRedoc shows the description here, if scripts may run. Without them, use [the overview and its pages](../api.md), or [openapi.yaml](openapi.yaml).\n`,
    layout: "redoc",
    scripts: ["api.js"],
    styles: ["api.css"],
    source,
  };
}
