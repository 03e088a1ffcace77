// Calls services at the base URLs given by an entry point, and prints what OpenTelemetry's
// instrumentations of node:http and undici saw.
import { HttpInstrumentation } from "@opentelemetry/instrumentation-http";
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(exporter)],
});
for (const instrumentation of [new HttpInstrumentation(), new UndiciInstrumentation()]) {
  instrumentation.setTracerProvider(tracerProvider);
  instrumentation.enable();
}

const [entryPoint, ...baseUrls] = process.argv.slice(2);
const { blobs, createMediaGen } = await (entryPoint === "node"
  ? import("@mediagen/sdk/node")
  : import("@mediagen/sdk"));
for (const baseUrl of baseUrls) {
  const media = createMediaGen({ baseUrl, apiKey: "sk-canary", retries: 0 });
  const task = await media.video.generate("vidmodelv2", { prompt: "A fox" });
  await blobs(task);
}
const spans = exporter.getFinishedSpans().map(({ name, attributes, instrumentationScope }) => ({
  name,
  attributes,
  scope: instrumentationScope.name,
}));
console.log(JSON.stringify(spans));
const end = performance.now();
process.on("exit", () => console.log(performance.now() - end));
