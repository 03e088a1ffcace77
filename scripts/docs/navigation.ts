/** The sections in the header. */
export const sections: readonly { readonly section: string; readonly title: string }[] = [
  { section: "guides", title: "Guides" },
  { section: "api", title: "API" },
  { section: "sdk", title: "SDK" },
  { section: "playground", title: "Playground" },
];

/** The guides in reading order. */
export const guideGroups: Readonly<Record<string, readonly string[]>> = {
  Start: [
    "installation",
    "first-video",
    "command-line",
    "configuration",
    "module-formats",
    "runtimes",
  ],
  Generate: ["source-images", "many-images", "batches"],
  Wait: ["waiting", "results", "abort-and-deletion"],
  "Money and errors": ["errors", "paying-once", "stores"],
  Scale: ["queues", "fleet", "observability"],
  Test: ["testing", "emulator"],
  Integrations: [
    "frameworks",
    "browsers",
    "workflow-engines",
    "ai-sdk",
    "schemas",
    "mcp",
    "proxies-and-tls",
  ],
  Reference: ["troubleshooting", "faq", "migration", "benchmarks", "assumptions"],
};

const byTask = {
  Client:
    "createMediaGen MediaGen KindClient MediaGenOptions ClientOptions RetryOptions Clock MediaGenEvent",
  Forms: "Form validate listModels fieldsOf isModel fileFrom FileSource",
  Tasks: "GenerateOptions Task TaskJSON VideoRecord ImageRecord CallOptions",
  Waiting: "WaitOptions WaitUpdate waitAll waitEach WaitOutcome State StateOptions PollingOptions",
  Results: "blobs streams ResultOptions ResultStream",
  Errors: "",
  Store: "memoryStore GenerationStore GenerationEntry Recovery UnknownGeneration generationIdOf",
};

/**
 * The exports of `@mediagen/sdk` by task. Errors have their own group, and all others are in the
 * group of types.
 */
export const sdkGroups: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(byTask).map(([task, names]) => [task, names.match(/\w+/g) ?? []]),
);

/** The entry points of the packages by their sources, with their groups in the sidebar. */
const entries: readonly (readonly [source: string, group: string, intro: string])[] = [
  [
    "sdk/src/index",
    "Types",
    "Runs wherever `fetch` runs. Everything here is exported by `@mediagen/sdk/node` too.",
  ],
  [
    "sdk/src/node",
    "Node",
    "The same client on its own transport on node:http, with files and a file store.",
  ],
  ["sdk/src/http", "Low-level client", "The low-level client: openapi-fetch, typed by the spec."],
  [
    "sdk/src/schema",
    "Schemas",
    "The form of each model as a Standard Schema and a Standard JSON Schema.",
  ],
  ["stores/src/postgres", "Stores", "A store in PostgreSQL."],
  ["stores/src/redis", "Stores", "A store in Redis."],
  ["stores/src/sqlite", "Stores", "A store in SQLite."],
  ["stores/src/check", "Stores", "A test for your own store."],
  ["proxy/src/index", "Proxy", "A server that holds the API key for web pages."],
  ["batch/src/index", "Batch", "Runs every form in a file, and saves the results in a directory."],
  ["ai-sdk-provider/src/index", "AI SDK", "Image and video models for the AI SDK."],
  ["mcp/src/index", "MCP server", "Tools for a language model that generate with the service."],
  [
    "emulator/src/index",
    "Emulator",
    "The service on this machine, as a function from Request to Response.",
  ],
  [
    "emulator/src/node",
    "Emulator on Node",
    "The emulator as an HTTP server, and a file for its state.",
  ],
  ["emulator/src/vitest", "Emulator in Vitest", "An emulator for each test of a file."],
  ["emulator/src/node-test", "Emulator in node:test", "An emulator for each test of a file."],
];

/** An entry point of a package. */
export type EntryPoint = (typeof entryPoints)[number];

/**
 * The entry points: `module` is the name in TypeDoc, `name` what users import, `path` that of the
 * page.
 */
export const entryPoints = entries.map(([source, group, intro]) => {
  const [, name = "", entry] = /^([\w-]+)\/src\/([\w-]+)$/.exec(source) ?? [];
  const isMain = entry === "index";
  const isSdk = name === "sdk";
  const ofPackage = isSdk ? "sdk" : `sdk/${name}`;
  const ofEntry = isSdk ? `/${entry}` : `-${entry}`;
  const path = isMain ? ofPackage : ofPackage + ofEntry;
  return {
    source: `packages/${source}.ts`,
    module: isMain ? `${name}/src` : source,
    name: `@mediagen/${name}${isMain ? "" : `/${entry}`}`,
    path,
    group,
    intro,
  };
});
