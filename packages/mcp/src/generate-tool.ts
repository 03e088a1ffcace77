import {
  type CallToolResult,
  fromJsonSchema,
  type InputRequiredResult,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import {
  type BeforeGenerate,
  type Form,
  InsufficientCreditsError,
  type Kind,
  type KindClient,
  fieldsOf,
  listModels,
  MediaGenError,
  type Model,
  OutcomeUnknownError,
} from "@mediagen/sdk/node";
import { type Call, shown, unlessConfirmed } from "./confirmation.ts";
import { generateSchema, idempotencyKey } from "./generate-schema.ts";
import type { AddTool, Host } from "./host.ts";
import { toolResult } from "./results.ts";
import { withFiles } from "./source-files.ts";

/** The arguments of a generate tool besides the fields of the form. */
interface Arguments extends Readonly<Record<string, unknown>> {
  readonly model: string;
  readonly idempotencyKey: string;
}

/**
 * The arguments that are checked here. The SDK checks the form, with error messages that help
 * models to correct it.
 */
const named = fromJsonSchema<Arguments>({
  type: "object",
  properties: { model: { type: "string" }, idempotencyKey },
  required: ["model", "idempotencyKey"],
});

const output = {
  type: "object",
  properties: {
    taskid: { type: "string" },
    model: { type: "string" },
    state: { const: "pending" },
  },
  required: ["taskid", "model", "state"],
};

/** Creates the tool that generates videos or images. */
export function generateTool(kind: Kind, host: Host): AddTool {
  const models = listModels().filter((one) => one.kind === kind);
  const tool = `generate_${kind}`;
  const what = kind === "video" ? "a video" : "images";
  const config = {
    title: `Generate ${what} (billed)`,
    description: `Creates a task that generates ${what}. It costs credits and cannot be undone. Returns a taskid at once: call wait_for_task with it to get the files.`,
    inputSchema: schemaFor(generateSchema(models), named["~standard"].validate),
    // Without a check: after a payment, the model must get its taskid.
    outputSchema: schemaFor(output, (value) => ({ value })),
    // A repeated call has the same key, and returns the same task.
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
  };
  return (server) =>
    server.registerTool(tool, config, (given, context) =>
      generate(kind, given, { tool, given, server, context }, host),
    );
}

/** Returns a schema that clients see, with a check of its own. */
function schemaFor<T>(
  schema: Record<string, unknown>,
  validate: StandardSchemaWithJSON<T, T>["~standard"]["validate"],
): StandardSchemaWithJSON<T, T> {
  const convert = () => schema;
  return {
    "~standard": {
      version: 1,
      vendor: "mediagen",
      validate,
      jsonSchema: { input: convert, output: convert },
    },
  };
}

async function generate(
  kind: Kind,
  { model, idempotencyKey, ...fields }: Arguments,
  call: Call,
  host: Host,
): Promise<CallToolResult | InputRequiredResult> {
  let instead: CallToolResult | InputRequiredResult | undefined;
  const { results } = host;
  let reserved = 0;
  // The user is asked only about valid generations that are about to be billed.
  const beforeSending: BeforeGenerate = async (form, about) => {
    // Called again if another process was faster with the key: then nothing was sent.
    results.left += reserved;
    reserved = 0;
    if (about.resultCount > results.left)
      throw new Error(
        `It exceeds the limit that --max-results sets (requested: ${about.resultCount}, left: ${results.left}). Nothing was sent or billed. Tell the user, and do not generate it again.`,
      );
    results.left -= reserved = about.resultCount;
    await host.beforeGenerate?.(form, about);
    instead = unlessConfirmed(questionOf(model, fields), call, host);
    if (instead) throw new Error("the user has not confirmed it");
  };
  try {
    const info = listModels().find((one) => one.model === model);
    const form = info ? await withFiles(fields, info, host.directories) : fields;
    host.beforeSending.set(form, beforeSending);
    // Without the signal of the call: if the client cancelled while the form is sent, the outcome
    // would be unknown. The casts: model and form are checked when they are used.
    const client = host.media[kind] as KindClient<Kind>;
    const { taskid } = await client.generate(model as Model, form as Form<Model>, {
      idempotencyKey,
    });
    return toolResult({ taskid, model, state: "pending" });
  } catch (error) {
    const isFree = !(error instanceof MediaGenError) || error.billed === "no";
    if (isFree) results.left += reserved;
    if (instead) return instead;
    throw isFree && !(error instanceof InsufficientCreditsError) ? error : withAdvice(error);
  }
}

/**
 * Returns the question about a generation. Numbers and choices, which decide what it costs, come
 * before free text.
 */
function questionOf(model: string, fields: object): string {
  const texts = fieldsOf(model).filter(
    ({ takes, values }) => !values && ["text", "file"].includes(takes),
  );
  const isText = ([name]: [string, unknown]) => Number(texts.some(({ field }) => field === name));
  const sorted = Object.entries(fields).sort((one, other) => isText(one) - isText(other));
  const lines = sorted.map(([field, value]) => `${field}: ${shown(JSON.stringify(value))}`);
  return [`Generate with ${model}? It costs credits and cannot be undone.`, ...lines].join("\n");
}

/** Adds what the user must do. Without this, models retry with another key. */
function withAdvice(error: MediaGenError): Error {
  // The advice of the SDK is for programmers. For a key of another form, it is a new key, which
  // could pay twice.
  const what =
    "issues" in error ? "The idempotency key was first used with another form." : error.problem;
  const advice = error instanceof OutcomeUnknownError ? ` ${adviceOn(error)}` : "";
  const toUser = "Tell the user, and do not generate it again, also not with another key.";
  return new Error(`${what}${advice} ${toUser}`, { cause: error });
}

function adviceOn({ generationId = "", attempt = "" }: OutcomeUnknownError): string {
  const command = `npx @mediagen/cli recover --resolve ${generationId} --attempt ${attempt} --taskid ID`;
  return `Look for the task in the service's console, or ask its support. Then run: ${command} (or --not-created; with the --store of this server, if it has one).`;
}
