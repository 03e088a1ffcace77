import { type AnyTask, InsufficientCreditsError, ServiceError, type MediaGen } from "@mediagen/sdk";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, describe, expect, test } from "vitest";
import { dataOf, exampleOf, type PlacedOperation } from "../../scripts/spec.ts";
import { generate, kinds } from "./cases.ts";
import { startTargets, type Target } from "./targets.ts";

const targets = await startTargets();
afterAll(() => Promise.all(targets.map((target) => target.close())));
const ajv = new Ajv2020({ strict: false });

interface Call {
  readonly operation: PlacedOperation;
  /** Calls the operation, and returns the `data` that the SDK reads, if any. */
  run(media: MediaGen, target: Target): Promise<unknown>;
}

const calls: readonly Call[] = kinds.flatMap(
  ({ kind, generate: generations, query, delete: deletion }) => [
    ...[...generations].map(([model, operation]) => ({
      operation,
      run: async (media: MediaGen) => createdBy(await generate(media, model, exampleOf(operation))),
    })),
    {
      operation: query,
      run: async (media: MediaGen, target: Target) => media[kind].query(await target.taskid(kind)),
    },
    {
      operation: deletion,
      run: async (media: MediaGen, target: Target) => {
        const { taskids: _, ...further } = exampleOf(deletion);
        return media[kind].delete([await target.taskid(kind)], further);
      },
    },
  ],
);

/** The data of the response that created a task. */
function createdBy({ taskid, initialUrl }: AnyTask): object {
  return initialUrl === undefined ? { taskid } : { taskid, url: initialUrl };
}

describe.for(targets)("$name", (target) => {
  const errorOf = (call: Call, media: MediaGen) =>
    call.run(media, target).catch((thrown: unknown) => thrown);

  describe.for(calls)("$operation.operationId", (call) => {
    const { operationId, responses } = call.operation;

    test("returns data of the spec's shape", async () => {
      const data = await call.run(target.client("success", "key"), target);
      expect(ajv.validate(dataOf(call.operation), data), ajv.errorsText()).toBe(true);
    });

    if (!target.respondsOnDemand) return;
    const examples = responses["200"]?.content["application/json"]?.examples as Record<
      string,
      { value: { code: number } }
    >;

    test("throws the error of a failure, of insufficient credits and of a missing key", async () => {
      const codeOf = (outcome: string) => examples[outcome]?.value.code;
      const failure = await errorOf(call, target.client("failure", "key"));
      expect(failure).toBeInstanceOf(ServiceError);
      const msg = expect.stringMatching(/./) as unknown;
      expect(failure).toMatchObject({
        operation: operationId,
        status: 200,
        code: codeOf("failure"),
        msg,
      });
      const poor = await errorOf(call, target.client("insufficientCredits", "key"));
      expect(poor).toBeInstanceOf(InsufficientCreditsError);
      expect(poor).toMatchObject({
        operation: operationId,
        status: 200,
        code: codeOf("insufficientCredits"),
      });
      const keyless = await errorOf(call, target.client("success"));
      const message = expect.stringContaining("API key") as unknown;
      expect(keyless).toMatchObject({
        name: "AuthenticationError",
        operation: operationId,
        status: 401,
        message,
      });
    });
  });
});
