import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";
import { context, ROOT_CONTEXT, SpanStatusCode, trace, type Context } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";
import { createEmulator, listen, type Fault } from "@mediagen/emulator/node";
import { createMediaGen } from "@mediagen/sdk";
import { afterEach, beforeAll, expect, test, vi } from "vitest";

// The program's file as it stands, imported only once there is a provider and a service.
const exporter = new InMemorySpanExporter();
type Program = typeof import("../../docs/examples/open-telemetry.ts");
let toSpan: Program["toSpan"];
let ofProgram: readonly ReadableSpan[];

beforeAll(async () => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  const emulator = createEmulator({ clock: { speed: 100 }, apiKey: "canary-key" });
  const server = await listen(emulator);
  vi.stubEnv("MEDIAGEN_BASE_URL", server.baseUrl);
  vi.stubEnv("MEDIAGEN_API_KEY", "canary-key");
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  ({ toSpan } = await import("../../docs/examples/open-telemetry.ts"));
  expect(log).toHaveBeenCalledExactlyOnceWith("1 clip");
  ofProgram = exporter.getFinishedSpans().slice();
  exporter.reset();
  await server.close();
});

afterEach(() => exporter.reset());

const named = (spans: readonly ReadableSpan[], type: string) => spans.filter(({ name }) => name === `media ${type}`);
const lengthMs = ({ duration: [seconds, nanoseconds] }: ReadableSpan) => seconds * 1_000 + nanoseconds / 1_000_000;

test("the program's run is a span for its generation, each query, the task and the download, in order", () => {
  const names = ofProgram.map(({ name }) => name.replace("media ", ""));
  expect(names.join(" ")).toMatch(/^generated( queried)+ settled downloaded$/);
  const [generated] = named(ofProgram, "generated");
  expect(generated?.attributes).toMatchObject({
    "media.operation": "generateVidmodelv2",
    "media.kind": "video",
    "media.model": "vidmodelv2",
    "media.attempt": 1,
  });
  expect(generated?.attributes["media.taskid"]).toMatch(/^video-/);
  expect(new Set(ofProgram.map(({ attributes }) => attributes["media.taskid"])).size).toBe(1);
  expect(named(ofProgram, "downloaded")[0]?.attributes).toMatchObject({
    "media.index": 0,
    "media.count": 1,
    "media.bytes": expect.any(Number),
  });
  expect(ofProgram.map(({ status }) => status.code)).toEqual(ofProgram.map(() => SpanStatusCode.UNSET));
});

test("a span is as long as what it tells of, to the millisecond that a Date holds", () => {
  const [generated] = named(ofProgram, "generated");
  const [settled] = named(ofProgram, "settled");
  const differences = [generated, settled].map(
    (span) => span && Math.abs(lengthMs(span) - Number(span.attributes["media.durationMs"])),
  );
  expect(differences).toEqual([expect.toSatisfy((ms: number) => ms < 1), expect.toSatisfy((ms: number) => ms < 1)]);
  // From the generation's answer to the check that saw the end.
  expect(settled && lengthMs(settled)).toBeGreaterThan(0);
});

async function generateWith(fault: Fault | undefined, prompt = "A fox"): Promise<readonly ReadableSpan[]> {
  const emulator = createEmulator({ apiKey: "canary-key" });
  const media = createMediaGen({ ...emulator.client, onEvent: toSpan });
  if (fault) emulator.next(fault);
  await media.image
    .generate("imgmodelv4", { prompt })
    .then((task) => task.wait())
    .catch(() => undefined);
  return exporter.getFinishedSpans();
}

test("a generation of unknown outcome is a span that failed, with the error", async () => {
  const [span, ...more] = await generateWith({ fault: "resetAfter", on: "generate" });
  expect([span?.name, more]).toEqual(["media failed", []]);
  expect(span?.status).toEqual({
    code: SpanStatusCode.ERROR,
    message: expect.stringContaining("may have been billed"),
  });
  expect(span?.events).toEqual([expect.objectContaining({ name: "exception" })]);
  expect(span?.events[0]?.attributes).toMatchObject({ "exception.type": "OutcomeUnknownError" });
});

test("what is sent again, a query that fails and a failed task are told each", async () => {
  const [retried] = named(await generateWith({ fault: "rateLimited", on: "generate" }), "retried");
  expect(retried?.attributes).toMatchObject({
    "media.operation": "generateImgmodelv4",
    "media.status": 429,
    "media.delayMs": expect.any(Number),
  });
  exporter.reset();
  const ofQueries = await generateWith({ fault: "serverError", on: "query" });
  expect(named(ofQueries, "failed").map(({ status }) => status.code)).toEqual([SpanStatusCode.ERROR]);
  expect(named(ofQueries, "queried")[0]?.status.code).toBe(SpanStatusCode.UNSET);
  exporter.reset();
  const [settled] = named(await generateWith(undefined, "A fox #fail"), "settled");
  expect(settled?.status).toEqual({ code: SpanStatusCode.ERROR, message: "the task failed" });
});

test("the span around a call is the parent of what the call tells", async () => {
  const store = new AsyncLocalStorage<Context>();
  const active = () => store.getStore() ?? ROOT_CONTEXT;
  const manager = {
    active,
    with: <A extends unknown[], F extends (...args: A) => ReturnType<F>>(
      given: Context,
      run: F,
      self?: ThisParameterType<F>,
      ...args: A
    ) => store.run(given, () => run.call(self as ThisParameterType<F>, ...args)),
    bind: <T>(_: Context, target: T) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager);
  try {
    const parent = await trace.getTracer("app").startActiveSpan("order", async (span) => {
      await generateWith(undefined);
      span.end();
      return span.spanContext().spanId;
    });
    const [generated, ...more] = exporter.getFinishedSpans().filter(({ name }) => name !== "order");
    expect([generated, ...more].map((span) => span?.parentSpanContext?.spanId)).toEqual([
      parent,
      ...more.map(() => parent),
    ]);
    expect(more.length).toBeGreaterThan(1);
  } finally {
    context.disable();
  }
});

test("no key is in any span, also where the service repeats it", async () => {
  const echo = (status: number) => async () => new Response('{"code":9999,"msg":"canary-key is not good"}', { status });
  for (const status of [200, 500]) {
    const media = createMediaGen({
      baseUrl: "https://media.example.com",
      apiKey: "canary-key",
      fetch: echo(status),
      onEvent: toSpan,
      retries: 0,
    });
    await media.image.generate("imgmodelv4", { prompt: "A fox" }).catch(() => undefined);
    await media.image.query("it-1").catch(() => undefined);
  }
  const spans = [...ofProgram, ...exporter.getFinishedSpans()];
  expect(named(spans, "failed").filter(({ status }) => status.code === SpanStatusCode.ERROR).length).toBeGreaterThan(2);
  expect(inspect(spans, { depth: 12, showHidden: true })).not.toContain("canary-key");
});
