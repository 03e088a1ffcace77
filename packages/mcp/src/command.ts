#!/usr/bin/env node
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { disk } from "@mediagen/sdk/kit";
import { fileStore } from "@mediagen/sdk/node";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createMcpServerFactory } from "./server.ts";

const usage = `mediagen-mcp: the Media Generation Service as tools of a language model (MCP)

  mediagen-mcp --output DIR [options]

It serves on stdin and stdout, as hosts start it. Set MEDIAGEN_BASE_URL to the URL of the service and
MEDIAGEN_API_KEY to your API key.

  --output DIR     the directory that results are saved in
  --allow DIR      a directory that source images may be read from, besides the output; may be repeated
  --max-results N  the number of videos and images that this run may generate (default: 20)
  --no-confirm     do not ask the user before each generation and deletion
  --must-confirm   reject generations if the host cannot ask the user, as it does deletions
  --store DIR      where generations are recorded (default: the state directory of mediagen)
  --help           show this text
`;

try {
  run(process.argv.slice(2));
} catch (error) {
  console.error(`mediagen-mcp: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}

function run(args: readonly string[]): void {
  const { values } = parseArgs({
    args: [...args],
    options: {
      output: { type: "string" },
      allow: { type: "string", multiple: true },
      "max-results": { type: "string", default: "20" },
      confirm: { type: "boolean", default: true },
      "must-confirm": { type: "boolean", default: false },
      store: { type: "string" },
      help: { type: "boolean" },
    },
    allowNegative: true,
  });
  // stdout is for the protocol, but no host uses `--help`.
  if (values.help) return void process.stdout.write(usage);
  const { output, allow = [], confirm, store = disk.stateDirectory() } = values;
  if (!output)
    throw new Error("--output is missing. Pass the directory that results are saved in.");
  if (!process.env["MEDIAGEN_BASE_URL"])
    throw new Error(
      'MEDIAGEN_BASE_URL is missing. Set it and MEDIAGEN_API_KEY in "env" of the host\'s configuration.',
    );
  const factory = createMcpServerFactory({
    store: fileStore(store),
    output: resolve(output),
    allow: allow.map((path) => resolve(path)),
    confirm: values["must-confirm"] ? "required" : confirm,
    maxResults: Number(values["max-results"]),
  });
  const connection = serveStdio(factory, {
    onerror: (error) => console.error(`mediagen-mcp: ${error.message}`),
  });
  // A generation that is being sent ends by itself, so that its task is not lost. A second signal
  // ends the process.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void connection.close());
}
