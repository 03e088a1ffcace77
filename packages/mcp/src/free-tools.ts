import { join, sep } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fromJsonSchema, type ServerContext } from "@modelcontextprotocol/server";
import {
  type AnyTask,
  download,
  type Download,
  InvalidRequestError,
  type Kind,
  listModels,
  type ModelInfo,
  WaitTimeoutError,
} from "@mediagen/sdk/node";
import { describeValue, issueOf } from "@mediagen/sdk/kit";
import { shown, unlessConfirmed } from "./confirmation.ts";
import type { AddTool, Host } from "./host.ts";
import { showFiles, toolResult } from "./results.ts";

const text = { type: "string" };
const kindSchema = { enum: ["video", "image"] };
const listOf = (properties: object) => ({ type: "array", items: { type: "object", properties } });

/** Returns the schema of an object with these properties, all required except the optional ones. */
function objectSchema<T>(
  properties: Readonly<Record<string, object>>,
  optional: readonly string[] = [],
) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return fromJsonSchema<T>({ type: "object", properties, required, additionalProperties: false });
}

/** Creates the tool that waits for a task and saves its files. */
export function waitTool(host: Host): AddTool {
  const config = {
    title: "Wait for a task and save its files",
    description:
      "Waits for a task, for less than a minute, and saves its files. While its state is pending, call it again. Waiting is free.",
    inputSchema: objectSchema<{ taskid: string }>({ taskid: text }),
    outputSchema: objectSchema(
      {
        taskid: text,
        state: { enum: ["pending", "succeeded"] },
        files: listOf({ path: text, type: text, bytes: { type: "integer" } }),
      },
      ["files"],
    ),
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
  };
  return (server) =>
    server.registerTool("wait_for_task", config, async ({ taskid }, context) => {
      const files = await finish(await findTask("wait_for_task", taskid, host), context, host);
      if (!files) return toolResult({ taskid, state: "pending" });
      const shown = files.map(({ path, type, bytes }) => ({ path, type, bytes }));
      return toolResult({ taskid, state: "succeeded", files: shown }, await showFiles(files));
    });
}

/** Creates the tool that lists tasks. */
export function listTool({ media }: Host): AddTool {
  const config = {
    title: "List tasks",
    description:
      "Lists tasks that have not ended, and generations of unknown outcome: those may have been billed, and only the user can resolve them.",
    inputSchema: objectSchema<object>({}),
    outputSchema: objectSchema({
      pending: listOf({ taskid: text, kind: kindSchema, model: text }),
      unknown: listOf({
        generationId: text,
        attempt: text,
        kind: kindSchema,
        model: text,
        idempotencyKey: text,
        reason: text,
      }),
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
  return (server) =>
    server.registerTool("list_tasks", config, async (_, { mcpReq: { signal } }) => {
      const { tasks, unknown } = await media.recover({ signal });
      const pending = tasks.map(({ taskid, kind, model }) => ({ taskid, kind, model }));
      return toolResult({ pending, unknown: unknown.map(({ digest, at, ...one }) => one) });
    });
}

/** Creates the tool that deletes tasks. */
export function deleteTool(host: Host): AddTool {
  const taskids = { type: "array", items: text, minItems: 1 };
  const config = {
    title: "Delete tasks at the service",
    description:
      "Deletes tasks of this server and their results at the service. Saved files stay. Whether it stops or refunds a running task is not documented.",
    inputSchema: objectSchema<{ kind: Kind; taskids: readonly string[] }>({
      kind: kindSchema,
      taskids,
    }),
    outputSchema: objectSchema({ deleted: taskids }),
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: true,
    },
  };
  return (server) =>
    server.registerTool("delete_tasks", config, async ({ kind, taskids }, context) => {
      for (const taskid of taskids) await findTask("delete_tasks", taskid, host, kind);
      const question = `Delete these tasks (${taskids.length}) at the service? It cannot be undone.\n${shown(taskids.join(", "))}`;
      const call = { tool: "delete_tasks", given: { kind, taskids }, server, context };
      const instead = unlessConfirmed(question, call, {
        ...host,
        confirm: host.confirm !== false && "required",
      });
      if (instead) return instead;
      await host.media[kind].delete(taskids, { signal: context.mcpReq.signal });
      return toolResult({ deleted: taskids });
    });
}

/** Creates the tool that lists the models. */
export function modelTool(): AddTool {
  const config = {
    title: "List models",
    description: "Lists every model with its fields and what each of them takes. Free.",
    inputSchema: objectSchema<object>({}),
    outputSchema: objectSchema({ models: { type: "array" } }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
  return (server) =>
    server.registerTool("list_models", config, () =>
      toolResult({ models: listModels().map(describeModel) }),
    );
}

function describeModel({ model, kind, form }: ModelInfo) {
  const fields = form.fields.map((one) => [
    one.field,
    one.expected + (one.required ? " (required)" : ""),
  ]);
  return { model, kind, fields: Object.fromEntries(fields) };
}

/** Returns a task from the store. A model must not access tasks of other programs. */
async function findTask(
  tool: string,
  taskid: string,
  { media }: Host,
  kind?: Kind,
): Promise<AnyTask> {
  for await (const record of media.store?.list({ states: ["created", "ended"] }) ?? []) {
    if ("unreadable" in record || record.task?.taskid !== taskid || record.origin !== media.origin)
      continue;
    if (record.kind === (kind ?? record.kind)) return media.task(record.task);
  }
  const advice = "Use a taskid that a generate tool has returned, or one of list_tasks.";
  throw new InvalidRequestError(tool, [
    issueOf("taskid", "invalid", `${describeValue(taskid)} was not found`, advice),
  ]);
}

/**
 * Waits for a task and downloads its results. Returns undefined if that takes longer than a call
 * may.
 */
async function finish(
  task: AnyTask,
  context: ServerContext,
  { waitTimeoutMs, directories: [output], downloads }: Host,
): Promise<readonly Download[] | undefined> {
  const { signal } = context.mcpReq;
  const callEnds = setTimeout(waitTimeoutMs, undefined, { signal, ref: false }).catch(
    () => undefined,
  );
  try {
    await task.wait({
      signal,
      waitTimeoutMs,
      onUpdate: ({ elapsedMs, state = "unknown" }) =>
        notifyProgress(context, elapsedMs, waitTimeoutMs, state),
    });
  } catch (error) {
    if (error instanceof WaitTimeoutError) return undefined;
    throw error;
  }
  // Without the signal: the next call continues with this download.
  const begun = downloads.get(task.taskid);
  // The trailing separator marks a directory. Without it, a name with a dot would be read as a
  // file.
  const saving =
    begun ?? download(task, join(output, sep)).finally(() => downloads.delete(task.taskid));
  downloads.set(task.taskid, saving);
  return Promise.race([saving, callEnds]);
}

/** Reports progress to a client that has requested it. */
function notifyProgress(
  { mcpReq }: ServerContext,
  progress: number,
  total: number,
  message: string,
): void {
  const { _meta: { progressToken } = {} } = mcpReq;
  if (progressToken === undefined) return;
  const params = { progressToken, progress: Math.min(progress, total), total, message };
  // A client that has disconnected must not end the wait.
  mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
}
