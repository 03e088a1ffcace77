/** The sections in the header. */
export const sections: readonly { readonly section: string; readonly title: string }[] = [
  { section: "guides", title: "Guides" },
  { section: "api", title: "API" },
  { section: "sdk", title: "SDK" },
  { section: "playground", title: "Playground" },
];

/** The guides in reading order. One that is not listed comes at the end of the last group. */
export const guideGroups: Readonly<Record<string, readonly string[]>> = {
  Start: ["installation", "first-video", "command-line", "configuration", "module-formats", "runtimes"],
  Generate: ["source-images", "many-images", "batches"],
  Wait: ["waiting", "results", "abort-and-deletion"],
  "Money and errors": ["errors", "paying-once", "stores"],
  Scale: ["queues", "queues-bullmq", "queues-pg-boss", "queues-at-scale", "observability"],
  Test: ["testing"],
  Integrations: [
    "integrations",
    "frameworks",
    "browsers",
    "workflow-engines",
    "ai-sdk",
    "schemas",
    "mcp",
    "proxies-and-tls",
  ],
  Reference: ["troubleshooting", "faq", "migration", "comparison", "benchmarks", "assumptions"],
};

/** The exports of `@mediagen/sdk` by task. Errors come by themselves, and whatever is not listed is among the types. */
export const sdkGroups: Readonly<Record<string, readonly string[]>> = {
  Client: [
    "createMediaGen",
    "MediaGen",
    "KindClient",
    "MediaGenOptions",
    "ClientOptions",
    "RetryOptions",
    "LimitOptions",
    "SchedulerOptions",
    "StateOptions",
    "Budget",
    "Logger",
    "MediaGenEvent",
  ],
  Forms: ["Form", "validate", "describeIssue", "listModels", "fieldsOf", "isModel", "fileFrom", "FileSource"],
  Tasks: ["GenerateOptions", "Task", "TaskJSON", "VideoRecord", "ImageRecord", "CallOptions"],
  Waiting: ["WaitOptions", "WaitUpdate", "waitAll", "waitEach", "WaitOutcome", "State"],
  Results: ["blobs", "streams", "ResultOptions", "ResultStream"],
  Errors: [],
  Store: [
    "memoryStore",
    "GenerationStore",
    "GenerationRecord",
    "Recovery",
    "UnknownGeneration",
    "formDigest",
    "generationIdOf",
  ],
  Queues: ["generateStep", "GenerateStep", "checkStep", "CheckStep", "stepError", "StepError"],
};

/** The entry points of the packages: their sources as TypeDoc names them, the paths of their pages, and their groups in the sidebar. */
export const entryPoints = [
  {
    module: "sdk/src",
    path: "sdk",
    name: "@mediagen/sdk",
    group: "Types",
    intro: "Runs wherever `fetch` runs. Everything here is exported by `@mediagen/sdk/node` too.",
  },
  {
    module: "sdk/src/node",
    path: "sdk/node",
    name: "@mediagen/sdk/node",
    group: "Node",
    intro: "The same client on its own transport on node:http, with files and a file store.",
  },
  {
    module: "sdk/src/http",
    path: "sdk/http",
    name: "@mediagen/sdk/http",
    group: "Low-level client",
    intro: "The low-level client: openapi-fetch, typed by the spec.",
  },
  {
    module: "sdk/src/schema",
    path: "sdk/schema",
    name: "@mediagen/sdk/schema",
    group: "Schemas",
    intro: "The form of each model as a Standard Schema and a Standard JSON Schema.",
  },
  {
    module: "sdk/src/proxy",
    path: "sdk/proxy",
    name: "@mediagen/sdk/proxy",
    group: "Proxy",
    intro: "A server that holds the API key for web pages, as a function from Request to Response.",
  },
  {
    module: "batch/src",
    path: "sdk/batch",
    name: "@mediagen/batch",
    group: "Batch",
    intro: "A directory of results from a file of forms.",
  },
  {
    module: "ai-sdk-provider/src",
    path: "sdk/ai-sdk-provider",
    name: "@mediagen/ai-sdk-provider",
    group: "AI SDK",
    intro: "Image and video models for the AI SDK.",
  },
  {
    module: "mcp/src",
    path: "sdk/mcp",
    name: "@mediagen/mcp",
    group: "MCP server",
    intro: "The service as tools of a language model.",
  },
  {
    module: "emulator/src",
    path: "sdk/emulator",
    name: "@mediagen/emulator",
    group: "Emulator",
    intro: "The service on this machine, as a function from Request to Response.",
  },
  {
    module: "emulator/src/node",
    path: "sdk/emulator-node",
    name: "@mediagen/emulator/node",
    group: "Emulator on Node",
    intro: "The emulator as an HTTP server, and a file for its state.",
  },
  {
    module: "emulator/src/vitest",
    path: "sdk/emulator-vitest",
    name: "@mediagen/emulator/vitest",
    group: "Emulator in Vitest",
    intro: "An emulator for each test of a file.",
  },
  {
    module: "emulator/src/node-test",
    path: "sdk/emulator-node-test",
    name: "@mediagen/emulator/node-test",
    group: "Emulator in node:test",
    intro: "An emulator for each test of a file.",
  },
] as const;
