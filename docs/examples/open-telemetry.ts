// #region instruments
import { context, metrics, SpanKind, SpanStatusCode, trace, type Attributes, type Context } from "@opentelemetry/api";
import { blobs, createMediaGen, type MediaGenEvent, ServiceError } from "@mediagen/sdk/node";

// Those of the providers that your app has registered.
const tracer = trace.getTracer("mediagen");
const meter = metrics.getMeter("mediagen");

// The conventions' buckets end at 82 seconds. A video takes minutes.
const advice = { explicitBucketBoundaries: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1_280] };
const callDuration = meter.createHistogram("gen_ai.client.operation.duration", { unit: "s", advice });
const taskDuration = meter.createHistogram("mediagen.task.duration", { unit: "s", advice });
const resultCount = meter.createCounter("mediagen.task.results", { unit: "{result}" });

/** The spans of generations by their tasks, as parents of what happens to a task later. */
const generations = new Map<string, Context>();
const mostGenerations = 10_000;
// #endregion instruments

// #region spans
/** Creates the span of an event, and measures it. */
export function toTelemetry(event: MediaGenEvent): void {
  // The log has these.
  if (event.type === "storeFailed" || event.type === "lateTask" || event.type === "taskMayHaveFailed") return;
  const { at, durationMs = 0, model, taskid = "" } = event;
  const attributes = { ...measured(event), ...traced(event) };
  const parent = (event.type !== "generated" && generations.get(taskid)) || context.active();
  const name = [attributes["gen_ai.operation.name"], model].filter(Boolean).join(" ");
  const startTime = new Date(at - durationMs);
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime, attributes }, parent);
  // Without the error's text, which may repeat a prompt.
  if (attributes["error.type"] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(new Date(at));
  if (event.type === "generated") remember(taskid, trace.setSpan(parent, span));
  measure(event);
}

function remember(taskid: string, generation: Context): void {
  generations.set(taskid, generation);
  const [oldest] = generations.keys();
  if (generations.size > mostGenerations && oldest !== undefined) generations.delete(oldest);
}

function measure(event: Timed): void {
  const { type, durationMs } = event;
  if (durationMs === undefined) return;
  const histogram = type === "settled" ? taskDuration : callDuration;
  if (type !== "retried") histogram.record(durationMs / 1000, measured(event));
  if (type === "generated") resultCount.add(event.resultCount, measured(event));
}
// #endregion spans

// #region attributes
type Timed = Extract<MediaGenEvent, { readonly durationMs: number | undefined }>;

/** Returns the attributes of spans and metrics, which have few values each. */
function measured(event: Timed): Attributes {
  const { type, kind, model } = event;
  const names = { queried: "query_task", settled: "task", downloaded: "download", retried: "retry", generated: "" };
  const operation = "operation" in event ? event.operation : "";
  const name = type === "failed" ? operation : names[type];
  const error = errorOf(event);
  return {
    "gen_ai.provider.name": "mediagen",
    "gen_ai.operation.name": name === "" || name.startsWith("generate") ? "generate_content" : name,
    ...(kind && { "gen_ai.output.type": kind }),
    ...(model && { "gen_ai.request.model": model }),
    ...(error && { "error.type": error }),
  };
}

function errorOf(event: Timed): string | undefined {
  if (event.type === "settled") return event.state === "failed" ? "TaskFailedError" : undefined;
  if (event.type === "retried" && event.status !== undefined) return String(event.status);
  if (!("error" in event)) return undefined;
  return event.error instanceof Error ? event.error.name : "_OTHER";
}

/** Returns the attributes of spans alone. No event has a prompt, a file or the API key. */
function traced(event: Timed): Attributes {
  const attributes: Attributes = {};
  const add = (name: string, value: string | number | undefined) => {
    if (value !== undefined) attributes[name] = value;
  };
  add("gen_ai.response.id", event.taskid);
  if ("requestId" in event) add("mediagen.request_id", event.requestId);
  if ("attempt" in event && event.attempt > 1) add("http.request.resend_count", event.attempt - 1);
  if ("error" in event && event.error instanceof ServiceError) add("http.response.status_code", event.error.status);
  if (event.type === "retried") add("http.response.status_code", event.status);
  if (event.type === "queried" || event.type === "settled") add("mediagen.task.status", event.status);
  if (event.type === "downloaded") add("mediagen.result.bytes", event.bytes);
  if (event.type === "generated") {
    const { hostname, port, protocol } = new URL(event.origin);
    add("server.address", hostname);
    add("server.port", Number(port || (protocol === "https:" ? 443 : 80)));
    add("gen_ai.request.choice.count", event.resultCount);
    if (event.seed !== undefined) add("gen_ai.request.seed", Number(event.seed));
  }
  return attributes;
}
// #endregion attributes

// #region use
const media = createMediaGen({ onEvent: toTelemetry });
const task = await media.video.generate("vidmodelv2", { prompt: "A fox runs through snow" });
await task.wait();
console.log(`${(await blobs(task)).length} clip`);
// #endregion use
