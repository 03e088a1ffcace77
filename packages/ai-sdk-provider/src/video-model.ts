import type {
  Experimental_VideoModelV4 as VideoModelV4,
  JSONObject,
  JSONValue,
} from "@ai-sdk/provider";
import type { ModelInfo, Task, TaskJSON } from "@mediagen/sdk";
import { generationError, resultError } from "./errors.ts";
import { framesOf } from "./files.ts";
import { providerName } from "./options.ts";
import { finish, type Host, start } from "./tasks.ts";

/**
 * Creates a video model of the AI SDK. It waits itself in `doGenerate`. The AI SDK polls by
 * `doStart` and `doStatus` if the caller asks for that.
 */
export function videoModel(host: Host, info: ModelInfo): VideoModelV4 {
  const { model: modelId } = info;
  const response = (timestamp: Date) => ({ timestamp, modelId, headers: undefined });
  return {
    specificationVersion: "v4",
    provider: `${providerName}.video`,
    modelId,
    maxVideosPerCall: Number.MAX_SAFE_INTEGER,
    async doGenerate(call) {
      const timestamp = new Date();
      const started = await start(host, info, { ...call, sources: framesOf(call) });
      const { results, warnings } = await finish(host, started, call.abortSignal);
      const videos = results.map(({ metadata }) => metadata);
      return {
        videos: results.map(({ data, mediaType }) => ({ type: "binary", data, mediaType })),
        warnings,
        providerMetadata: metadataOf(started.tasks, { videos }),
        response: response(timestamp),
      };
    },
    async doStart(call) {
      const timestamp = new Date();
      const { tasks, warnings } = await start(host, info, { ...call, sources: framesOf(call) });
      const operation = tasks.map((task) => task.toJSON());
      return {
        operation,
        warnings,
        providerMetadata: metadataOf(tasks),
        response: response(timestamp),
      };
    },
    async doStatus({ operation, abortSignal: signal }) {
      const timestamp = new Date();
      const { tasks, checks } = await check(host, operation, signal);
      const providerMetadata = metadataOf(tasks);
      const common = { providerMetadata, response: response(timestamp) };
      if (checks.some(({ state }) => state === "pending")) return { status: "pending", ...common };
      const failed = tasks
        .filter((_, index) => checks[index]?.state === "failed")
        .map(({ taskid }) => taskid);
      const message = `Failed: ${failed.join(", ")}. Checking again does not help; generating again is billed again.`;
      if (failed.length === tasks.length) return { status: "error", error: message, ...common };
      const urls = checks.flatMap(({ state, record }, index) =>
        state === "succeeded" ? record.url.slice(0, tasks[index]?.resultCount) : [],
      );
      return {
        status: "completed",
        // The media type is not documented, so the AI SDK detects it from the bytes.
        videos: urls.map((url) => ({ type: "url", url, mediaType: "application/octet-stream" })),
        warnings: failed.length > 0 ? [{ type: "other", message }] : [],
        ...common,
      };
    },
  };
}

/** Checks the tasks of an operation once. */
async function check({ media }: Host, operation: JSONValue, signal: AbortSignal | undefined) {
  const url = media().origin;
  let tasks: readonly Task[] = [];
  try {
    // The cast: `doStart` returned it. The SDK checks it like every saved task.
    tasks = [operation].flat().map((saved) => media().task(saved as TaskJSON));
    return { tasks, checks: await Promise.all(tasks.map((task) => task.check({ signal }))) };
  } catch (error) {
    signal?.throwIfAborted();
    if (tasks.length === 0) throw generationError(error, { url, requestBodyValues: operation });
    // A check is free, so the AI SDK may retry it.
    throw resultError(error, tasks, url, true);
  }
}

function metadataOf(tasks: readonly Task[], more: { readonly videos?: JSONObject[] } = {}) {
  return { [providerName]: { tasks: tasks.map((task) => task.toJSON()), ...more } };
}
