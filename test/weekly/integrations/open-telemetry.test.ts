import { inspect } from "node:util";
import { metrics, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  type HistogramMetricData,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";
import { createEmulator, listen, type Fault } from "@mediagen/emulator/node";
import { createMediaGen } from "@mediagen/sdk";
import { afterEach, beforeAll, expect, test, vi } from "vitest";

// The program's file, unchanged, imported only once there are providers and a service.
const exporter = new InMemorySpanExporter();
const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({
  exporter: metricExporter,
  exportIntervalMillis: 86_400_000,
});
type Program = typeof import("../../../docs/examples/open-telemetry.ts");
let toTelemetry: Program["toTelemetry"];
let ofProgram: readonly ReadableSpan[];

beforeAll(async () => {
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  const emulator = createEmulator({ clock: { speed: 100 }, apiKey: "canary-key" });
  const server = await listen(emulator);
  vi.stubEnv("MEDIAGEN_BASE_URL", server.baseUrl);
  vi.stubEnv("MEDIAGEN_API_KEY", "canary-key");
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  ({ toTelemetry } = await import("../../../docs/examples/open-telemetry.ts"));
  expect(log).toHaveBeenCalledExactlyOnceWith([expect.stringMatching(/^http/)]);
  ofProgram = exporter.getFinishedSpans().slice();
  exporter.reset();
  await server.close();
});

afterEach(() => exporter.reset());

test("the program's run is a span for its generation and one for the task", () => {
  expect(ofProgram.map(({ name }) => name)).toEqual([
    "generate_content vidmodelv2",
    "task vidmodelv2",
  ]);
  const [generation, task] = ofProgram;
  expect(generation?.kind).toBe(SpanKind.CLIENT);
  expect(generation?.attributes).toEqual({
    "gen_ai.operation.name": "generate_content",
    "gen_ai.provider.name": "mediagen",
    "gen_ai.output.type": "video",
    "gen_ai.request.model": "vidmodelv2",
    "gen_ai.request.choice.count": 1,
    "gen_ai.response.id": expect.stringMatching(/^video-/),
    "mediagen.request_id": "emulator-1",
    "server.address": expect.stringMatching(/^127\.0\.0\.1:\d+$/),
  });
  expect(ofProgram.map(({ status }) => status.code)).toEqual(
    ofProgram.map(() => SpanStatusCode.UNSET),
  );
  const { traceId, spanId } = generation?.spanContext() ?? {};
  expect(task?.spanContext().traceId).toBe(traceId);
  expect(task?.parentSpanContext?.spanId).toBe(spanId);
});

test("the metrics are the durations of calls and tasks, in buckets for videos, and the number of results", async () => {
  await reader.forceFlush();
  const scopes = metricExporter.getMetrics().at(-1)?.scopeMetrics ?? [];
  const [calls, tasks, results] = scopes.flatMap(({ metrics: all }) => all);
  const names = [calls, tasks, results].map((metric) => [
    metric?.descriptor.name,
    metric?.descriptor.unit,
  ]);
  expect(names).toEqual([
    ["gen_ai.client.operation.duration", "s"],
    ["mediagen.task.duration", "s"],
    ["mediagen.task.results", "{result}"],
  ]);
  // The cast: its name says that it is a histogram.
  const [generation] = (calls as HistogramMetricData).dataPoints;
  expect(generation?.value.buckets.boundaries.at(-1)).toBe(1_280);
  expect(Object.keys(generation?.attributes ?? {})).not.toContain("gen_ai.response.id");
  expect(results?.dataPoints).toMatchObject([
    { value: 1, attributes: { "gen_ai.request.model": "vidmodelv2" } },
  ]);
});

async function generateWith(fault?: Fault): Promise<readonly ReadableSpan[]> {
  const emulator = createEmulator({ apiKey: "canary-key" });
  const media = createMediaGen({ ...emulator.client, onEvent: toTelemetry });
  if (fault) emulator.next(fault);
  await media.image
    .generate("imgmodelv4", { prompt: "A fox" })
    .then((task) => task.wait())
    .catch(() => undefined);
  return exporter.getFinishedSpans();
}

test.for<[what: string, span: string, fault: Fault | undefined, attributes: object]>([
  [
    "a generation of unknown outcome",
    "generate_content",
    { fault: "resetAfter", on: "generate" },
    { "error.type": "OutcomeUnknownError" },
  ],
  [
    "a retry",
    "retry",
    { fault: "rateLimited", on: "generate" },
    { "http.response.status_code": 429 },
  ],
  [
    "a poll that fails",
    "retry",
    { fault: "serverError", on: "query" },
    { "http.response.status_code": 500 },
  ],
  [
    "a failed task",
    "task",
    { fault: "taskFails", on: "generate" },
    { "error.type": "TaskFailedError" },
  ],
])("%s is a span that failed: %s", async ([, name, fault, attributes]) => {
  const span = (await generateWith(fault)).find((one) => one.name.startsWith(`${name} `));
  expect(span).toMatchObject({ status: { code: SpanStatusCode.ERROR }, attributes });
});

test("no key and no prompt is in any span, also if the service or an error repeats it", async () => {
  const echo = (status: number) => async () =>
    new Response('{"code":9999,"msg":"canary-key and canary-prompt are not good"}', { status });
  for (const status of [200, 500]) {
    const media = createMediaGen({
      baseUrl: "https://media.example.com",
      apiKey: "canary-key",
      fetch: echo(status),
      onEvent: toTelemetry,
      retries: 0,
    });
    await media.image.generate("imgmodelv4", { prompt: "canary-prompt" }).catch(() => undefined);
    const invalid: Readonly<Record<string, unknown>> = {
      prompt: "canary-prompt",
      resolution: "canary-prompt",
    };
    const model: string = "imgmodelz";
    await media.generate(model, invalid).catch(() => undefined);
    await media.image.query("it-1").catch(() => undefined);
  }
  const spans = [...ofProgram, ...exporter.getFinishedSpans()];
  expect(spans.filter(({ status }) => status.code === SpanStatusCode.ERROR).length).toBeGreaterThan(
    4,
  );
  expect(inspect(spans, { depth: 12, showHidden: true })).not.toMatch(/canary-(key|prompt)/);
});
