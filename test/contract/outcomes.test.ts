import { InsufficientCreditsError, ServiceError, type MediaGen } from "@mediagen/sdk";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, describe, expect, test } from "vitest";
import { dataOf, exampleOf, type PlacedOperation } from "../../scripts/by-kind.ts";
import { generate, kinds } from "./cases.ts";
import { startTargets, type Target } from "./targets.ts";

const targets = await startTargets();
afterAll(() => Promise.all(targets.map((target) => target.close())));
const ajv = new Ajv2020({ strict: false });

interface Call {
  readonly operation: PlacedOperation;
  /** Calls the operation and answers the `data` that the SDK made of it, where it gives one. */
  run(media: MediaGen, target: Target): Promise<unknown>;
}

const calls: readonly Call[] = kinds.flatMap(({ kind, generate: generations, query, delete: deletion }) => [
  ...[...generations].map(([model, operation]) => ({
    operation,
    run: async (media: MediaGen) => (await generate(media, model, exampleOf(operation))).created,
  })),
  { operation: query, run: async (media: MediaGen, target: Target) => media[kind].query(await target.taskid(kind)) },
  {
    operation: deletion,
    run: async (media: MediaGen, target: Target) => {
      const { taskids: _, ...further } = exampleOf(deletion);
      return media[kind].delete([await target.taskid(kind)], further);
    },
  },
]);

describe.for(targets)("$name", (target) => {
  const errorOf = (call: Call, media: MediaGen) => call.run(media, target).catch((thrown: unknown) => thrown);

  describe.for(calls)("$operation.operationId", (call) => {
    const { operationId, responses } = call.operation;

    test("answers data of the spec's shape", async () => {
      const data = await call.run(target.client("success", "key"), target);
      expect(ajv.validate(dataOf(call.operation), data), ajv.errorsText()).toBe(true);
    });

    if (!target.answersOnDemand) return;
    const examples = responses["200"]?.content["application/json"]?.examples as Record<
      string,
      { value: { code: number } }
    >;

    test("throws a ServiceError with code and msg when the service fails", async () => {
      const error = await errorOf(call, target.client("failure", "key"));
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).not.toBeInstanceOf(InsufficientCreditsError);
      const { code } = examples["failure"]?.value ?? {};
      expect(error).toMatchObject({ operation: operationId, status: 200, code, msg: expect.stringMatching(/./) });
    });

    test("throws an InsufficientCreditsError when the credits are out", async () => {
      const error = await errorOf(call, target.client("insufficientCredits", "key"));
      expect(error).toBeInstanceOf(InsufficientCreditsError);
      expect(error).toMatchObject({
        operation: operationId,
        status: 200,
        code: examples["insufficientCredits"]?.value.code,
      });
    });

    test("says that the key is missing when the service wants one", async () => {
      const error = await errorOf(call, target.client("success"));
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).toMatchObject({ operation: operationId, status: 401, message: expect.stringContaining("API key") });
    });
  });
});
