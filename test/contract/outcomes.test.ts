import { type AnyTask, InsufficientCreditsError, ServiceError, type MediaGen } from "@mediagen/sdk";
import type { HttpClient } from "@mediagen/sdk/http";
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
  /** Calls the operation and answers the `data` that the SDK made of it, where it gives one. */
  run(media: MediaGen, target: Target): Promise<unknown>;
}

const calls: readonly Call[] = kinds.flatMap(({ kind, generate: generations, query, delete: deletion }) => [
  ...[...generations].map(([model, operation]) => ({
    operation,
    run: async (media: MediaGen) => createdBy(await generate(media, model, exampleOf(operation))),
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

/** The data of the response that created a task. */
function createdBy({ taskid, initialUrl }: AnyTask): object {
  return initialUrl === undefined ? { taskid } : { taskid, url: initialUrl };
}

/** The fields of an operation's example, about a task that the target has. */
async function fieldsOf({ operation }: Call, target: Target): Promise<object> {
  const { taskid, taskids, ...fields } = exampleOf(operation);
  const kind = kinds.find((one) => one.query === operation || one.delete === operation)?.kind ?? "video";
  const id = (taskid ?? taskids) ? await target.taskid(kind) : undefined;
  return {
    ...fields,
    ...(taskid === undefined ? {} : { taskid: id }),
    ...(taskids === undefined ? {} : { taskids: [id] }),
  };
}

describe.for(targets)("$name", (target) => {
  const errorOf = (call: Call, media: MediaGen) => call.run(media, target).catch((thrown: unknown) => thrown);

  describe.for(calls)("$operation.operationId", (call) => {
    const { operationId, responses } = call.operation;

    test("returns data of the spec's shape", async () => {
      const data = await call.run(target.client("success", "key"), target);
      expect(ajv.validate(dataOf(call.operation), data), ajv.errorsText()).toBe(true);
    });

    test("runs through the HTTP client, which opens no envelope", async () => {
      const post = async (http: HttpClient) =>
        // The casts: the path comes from the spec, so neither body nor response is known to the compiler.
        http.POST(call.operation.path as never, { body: await fieldsOf(call, target) } as never) as Promise<{
          readonly data?: { readonly code: number; readonly data?: unknown };
          readonly response: Response;
        }>;
      const { data, response } = await post(target.http("success", "key"));
      expect([response.status, data?.code]).toEqual([200, 1000]);
      expect(ajv.validate(dataOf(call.operation), data?.data), ajv.errorsText()).toBe(true);
      if (!target.answersOnDemand) return;
      expect(await post(target.http("failure", "key"))).toMatchObject({
        response: { status: 200 },
        data: { code: 9999 },
      });
      expect(await post(target.http("success"))).toMatchObject({ response: { status: 401 }, error: { code: 9999 } });
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
