import { fromJsonSchema } from "@modelcontextprotocol/server";
import { fieldsOf, listModels, type ModelInfo } from "@mediagen/sdk/node";
import type { AddTool } from "./host.ts";
import { toolResult } from "./results.ts";

/** Creates the tool that lists the models. */
export function modelTool(): AddTool {
  const config = {
    title: "List models",
    description: "Lists every model with the fields of its form and what each of them takes. It is free.",
    inputSchema: fromJsonSchema<object>({ type: "object", additionalProperties: false }),
    outputSchema: fromJsonSchema({
      type: "object",
      properties: { models: { type: "array", items: { type: "object" } } },
      required: ["models"],
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
  return (server) =>
    server.registerTool("list_models", config, () => toolResult({ models: listModels().map(describeModel) }));
}

function describeModel(info: ModelInfo) {
  const fields = fieldsOf(info).map(({ field, expected, required }) => {
    return [field, required ? `${expected} (required)` : expected] as const;
  });
  return { model: info.model, kind: info.kind, fields: Object.fromEntries(fields) };
}
