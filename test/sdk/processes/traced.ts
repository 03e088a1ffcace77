// Calls services at the base URLs given, and prints what OpenTelemetry's instrumentation of node:http saw.
import { HttpInstrumentation } from "@opentelemetry/instrumentation-http";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";

const exporter = new InMemorySpanExporter();
const instrumentation = new HttpInstrumentation();
instrumentation.setTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
instrumentation.enable();

const { blobs, createMediaGen } = await import("@mediagen/sdk/node");
for (const baseUrl of process.argv.slice(2)) {
  const media = createMediaGen({ baseUrl, apiKey: "sk-canary", retries: 0 });
  const task = await media.video.generate("vidmodelv2", { prompt: "A fox" });
  await blobs(task);
}
const spans = exporter.getFinishedSpans().map(({ name, attributes }) => ({ name, attributes }));
console.log(JSON.stringify(spans));
