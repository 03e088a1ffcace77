// #region spans
import { SpanKind, SpanStatusCode, trace, type Attributes } from "@opentelemetry/api";
import { blobs, createMediaGen, type MediaGenEvent } from "@mediagen/sdk/node";

const tracer = trace.getTracer("media"); // of the provider that your app has registered

/** Creates the span of an event. It ends when the event was emitted, and lasts as long as the event says. */
export function toSpan(event: MediaGenEvent): void {
  const at = "at" in event ? event.at : Date.now();
  const durationMs = ("durationMs" in event ? event.durationMs : undefined) ?? 0;
  const startTime = new Date(at - durationMs);
  const attributes = attributesOf(event);
  const span = tracer.startSpan(`media ${event.type}`, { kind: SpanKind.CLIENT, startTime, attributes });
  if ("error" in event && event.error !== undefined) {
    const error = event.error instanceof Error ? event.error : new Error(String(event.error));
    span.recordException(error, new Date(at));
    span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
  }
  if (event.type === "settled" && event.state === "failed") {
    span.setStatus({ code: SpanStatusCode.ERROR, message: "the task failed" });
  }
  span.end(new Date(at));
}

/** Returns the strings and numbers of an event, by name. */
function attributesOf({ type, ...facts }: MediaGenEvent): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(facts)) {
    if (typeof value === "string" || typeof value === "number") attributes[`media.${name}`] = value;
  }
  return attributes;
}
// #endregion spans

// #region use
const media = createMediaGen({ onEvent: toSpan });
const task = await media.video.generate("vidmodelv2", { prompt: "A fox runs through snow" });
await task.wait();
console.log(`${(await blobs(task)).length} clip`);
// #endregion use
