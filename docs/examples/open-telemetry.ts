// #region instruments
import {
  context,
  metrics,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
} from "@opentelemetry/api";
import {
  createMediaGen,
  type MediaGenEvent,
  ServiceError,
} from "@mediagen/sdk/node";

// Those of the providers that your app has registered.
const tracer = trace.getTracer("mediagen");
const meter = metrics.getMeter("mediagen");

// The conventions' buckets end at 82 seconds. A video takes minutes.
const advice = {
  explicitBucketBoundaries: [
    0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1_280,
  ],
};
const callDuration = meter.createHistogram("gen_ai.client.operation.duration", {
  unit: "s",
  advice,
});
const taskDuration = meter.createHistogram("mediagen.task.duration", {
  unit: "s",
  advice,
});
const resultCount = meter.createCounter("mediagen.task.results", {
  unit: "{result}",
});

/**
 * The spans of generations by their tasks, as parents of what happens to a task
 * later.
 */
const generations = new Map<string, Context>();
const mostGenerations = 10_000;
// #endregion instruments

// #region spans
/** Creates the span of an event, and measures it. */
export function toTelemetry(event: MediaGenEvent): void {
  // These two are for the log.
  if (event.type === "storeFailed" || event.type === "lateTask") return;
  const { type, at, durationMs = 0, model, taskid = "" } = event;
  const measured = attributesOf(event);
  const parent =
    (type !== "generated" && generations.get(taskid)) || context.active();
  const name = [measured["gen_ai.operation.name"], model].filter(Boolean).join(" ");
  const attributes = { ...measured, ...moreAttributesOf(event) };
  const startTime = new Date(at - durationMs);
  const span = tracer.startSpan(
    name,
    { kind: SpanKind.CLIENT, startTime, attributes },
    parent,
  );
  if (measured["error.type"] !== undefined)
    span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(new Date(at));
  if (type === "generated" || type === "failed")
    callDuration.record(durationMs / 1000, measured);
  if (type === "ended" && event.durationMs !== undefined)
    taskDuration.record(durationMs / 1000, measured);
  if (type === "generated") {
    resultCount.add(event.resultCount, measured);
    remember(taskid, trace.setSpan(parent, span));
  }
}

function remember(taskid: string, generation: Context): void {
  generations.set(taskid, generation);
  const [oldest] = generations.keys();
  if (generations.size > mostGenerations && oldest !== undefined)
    generations.delete(oldest);
}
// #endregion spans

// #region attributes
type CallOrTask = Extract<
  MediaGenEvent,
  { readonly durationMs: number | undefined }
>;

/** Returns the attributes of spans and metrics, which have few values each. */
function attributesOf(event: CallOrTask): Attributes {
  const { kind, model } = event;
  const error = errorOf(event);
  return {
    "gen_ai.provider.name": "mediagen",
    "gen_ai.operation.name": nameOf(event),
    ...(kind && { "gen_ai.output.type": kind }),
    ...(model && { "gen_ai.request.model": model }),
    ...(error && { "error.type": error }),
  };
}

function nameOf(event: CallOrTask): string {
  if (event.type === "ended") return "task";
  if (event.type === "retried") return "retry";
  return event.operation.startsWith("generate")
    ? "generate_content"
    : event.operation;
}

function errorOf(event: CallOrTask): string | undefined {
  if (event.type === "ended")
    return event.state === "failed" ? "TaskFailedError" : undefined;
  if (event.type === "generated") return undefined;
  if (event.type === "retried" && event.status !== undefined)
    return String(event.status);
  return event.error instanceof Error ? event.error.name : "_OTHER";
}

/**
 * Returns the attributes of spans alone. No event has a prompt, a file or the API
 * key.
 */
function moreAttributesOf(event: CallOrTask): Attributes {
  const status =
    event.type === "failed" && event.error instanceof ServiceError
      ? event.error.status
      : undefined;
  return {
    "gen_ai.response.id": event.taskid,
    ...("requestId" in event && { "mediagen.request_id": event.requestId }),
    ...("attempt" in event &&
      event.attempt > 1 && { "http.request.resend_count": event.attempt - 1 }),
    "http.response.status_code": event.type === "retried" ? event.status : status,
    ...(event.type === "ended" && { "mediagen.task.status": event.status }),
    ...(event.type === "generated" && {
      "gen_ai.request.choice.count": event.resultCount,
      "server.address": new URL(event.origin).host,
    }),
  };
}
// #endregion attributes

// #region use
const media = createMediaGen({ onEvent: toTelemetry });
const task = await media.video.generate("vidmodelv2", {
  prompt: "A fox runs through snow",
});
console.log((await task.wait()).url);
// #endregion use
