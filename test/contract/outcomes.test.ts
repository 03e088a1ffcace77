import { createMediaGen, InsufficientCreditsError, ServiceError, type MediaGen } from "@mediagen/sdk";
import { afterAll, describe, expect, test } from "vitest";
import { startMock } from "../../scripts/mock.ts";
import { exampleOf, generate, kinds, yaml } from "./cases.ts";

const mock = await startMock(yaml);
afterAll(() => mock.close());

/** A client whose every answer is the named example of the spec. */
function clientFor(outcome: string, apiKey: string | undefined = "key"): MediaGen {
  return createMediaGen({
    baseUrl: mock.baseUrl,
    apiKey,
    fetch: (request) => {
      request.headers.set("Prefer", `example=${outcome}`);
      return fetch(new Request(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(10_000)]) }));
    },
  });
}

const calls = kinds.flatMap(({ kind, generate: generations, query, delete: deletion }) => [
  ...[...generations].map(([model, operation]) => ({
    operation,
    run: async (media: MediaGen) => (await generate(media, model, exampleOf(operation))).created,
  })),
  { operation: query, run: (media: MediaGen) => media[kind].query(String(exampleOf(query)["taskid"])) },
  {
    operation: deletion,
    run: async (media: MediaGen) => {
      const { taskids, ...further } = exampleOf(deletion) as { taskids: string[] };
      return (await media[kind].delete(taskids, further)) ?? { status: "Success" };
    },
  },
]);

const examples = ({ operation }: (typeof calls)[number]) =>
  operation.responses["200"]?.content["application/json"]?.examples as unknown as Record<string, { value: { data: unknown; msg: string; code: number } }>;

describe.for(calls)("$operation.operationId", (call) => {
  test("answers what the service's success example holds", async () => {
    expect(await call.run(clientFor("success"))).toEqual(examples(call)["success"]?.value.data);
  });

  test("throws a ServiceError with code and msg when the service fails", async () => {
    const error: unknown = await call.run(clientFor("failure")).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).not.toBeInstanceOf(InsufficientCreditsError);
    expect(error).toMatchObject({ operation: call.operation.operationId, status: 200, ...examples(call)["failure"]?.value });
  });

  test("throws an InsufficientCreditsError when the credits are out", async () => {
    const error: unknown = await call.run(clientFor("insufficientCredits")).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InsufficientCreditsError);
    expect(error).toMatchObject({ status: 200, ...examples(call)["insufficientCredits"]?.value });
  });

  test("says that the key is missing when the service wants one", async () => {
    const media = createMediaGen({ baseUrl: mock.baseUrl });
    const error: unknown = await call.run(media).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: 401, message: expect.stringContaining("API key") });
  });
});
