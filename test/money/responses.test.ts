import type { OutcomeUnknownError } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import {
  clientOf,
  created,
  errorOf,
  lost,
  neverSent,
  type Reply,
  sharedStore,
} from "../sdk/fake-service.ts";

const reply =
  (status: number, body: object | string): Reply =>
  () =>
    typeof body === "string" ? new Response(body, { status }) : Response.json(body, { status });
const envelope = (code: number, data?: unknown) => ({
  code,
  msg: "no",
  ...(data === undefined ? {} : { data }),
});

test.for<[string, Reply, string]>([
  ["401 with 9999", reply(401, envelope(9999)), "AuthenticationError"],
  ["403 with 9999", reply(403, envelope(9999)), "AuthenticationError"],
  ["429 with 9999", reply(429, envelope(9999)), "RateLimitError"],
  ["400 with 9999", reply(400, envelope(9999)), "ServiceError"],
  ["500 with 9999", reply(500, envelope(9999)), "ServiceError"],
  ["503 with 9999", reply(503, envelope(9999)), "ServiceError"],
  ["9000", reply(200, envelope(9000)), "InsufficientCreditsError"],
  ["an unknown code", reply(200, envelope(1234)), "ServiceError"],
  [
    "404 with the task",
    reply(404, { code: 1000, msg: "", data: { taskid: "t-1" } }),
    "NotFoundError",
  ],
  ["404 with 9000", reply(404, envelope(9000)), "InsufficientCreditsError"],
  ["an HTML page", reply(200, "<html>"), "ServiceError"],
  ["a connection that failed", neverSent, "ConnectionError"],
  // The service does not know the task.
  ["9999", reply(200, envelope(9999)), "InvalidRequestError"],
  ["404", reply(404, ""), "InvalidRequestError"],
  ["404 with 9999", reply(404, envelope(9999)), "InvalidRequestError"],
])("resolve records nothing when the query of its task returns %s", async ([, query, name]) => {
  const { generate, media } = clientOf([lost, query], { store: sharedStore() });
  const { generationId = "" } = (await errorOf(generate("order-1"))) as OutcomeUnknownError;
  const error = (await errorOf(media.resolve(generationId, { taskid: "t-1" }))) as Error;
  const isUnknown = name === "InvalidRequestError";
  expect(error).toMatchObject({ name, ...(isUnknown && { issues: [{ field: "taskid" }] }) });
  if (!isUnknown) expect(error.message).not.toMatch(/not known|no such task/);
  expect((await media.recover()).unknown).toMatchObject([{ generationId }]);
});

describe("a rejection that names a task is of unknown outcome", () => {
  const statuses = [200, 201, 400, 402, 404, 429, 500, 503];
  const rows = [9999, 9000].flatMap((code) => statuses.map((status) => [code, status] as const));

  test.for(rows)("%i under HTTP %i", async ([code, status]) => {
    const bodies = [
      ...["t-1", 17, 2 ** 60, { toString: 1 }].map((taskid) => envelope(code, { taskid })),
      envelope(code, [{ taskid: "t-1" }]),
      { ...envelope(code), taskid: "t-1" },
    ];
    for (const body of bodies) {
      const store = sharedStore();
      const options = { store, retries: 4, resendGenerationAfter: [503] as const };
      const { generate, sent } = clientOf([reply(status, body), () => created("t-2")], options);
      for (let calls = 0; calls < 2; calls++) {
        const error = await errorOf(generate("order-1"));
        expect(error).toMatchObject({ name: "OutcomeUnknownError" });
        // A person finds the task by it.
        if (body === bodies[0]) expect((error as Error).message).toContain("t-1");
      }
      expect([sent(), store.states().at(-1)]).toEqual([1, "unknown"]);
    }
  });

  test("an empty id or none names no task", async () => {
    const quoted = { code: 9999, msg: 'no "taskid": "x" is given' };
    for (const body of [{ taskid: null }, { taskid: "" }, {}, null, "taskid"]
      .map((data) => envelope(9999, data))
      .concat(quoted)) {
      const store = sharedStore();
      const { generate } = clientOf([reply(200, body)], { store });
      expect(await errorOf(generate("order-1"))).toMatchObject({ name: "ServiceError" });
      expect(store.states().at(-1)).toBe("notCreated");
    }
  });
});

test.for<[string, object | string, boolean]>([
  ["JSON of another server", { detail: "Not found" }, false],
  ["a page with braces", "<html><style>p { margin: 0 }</style>", false],
  ["nothing", "", false],
  ["what is left of a response", '{"code": 1000, "da', true],
  ["what is left of a list", '\n [{"co', true],
  ["the name of an id", "id: taskid", true],
])(
  "a rejection without an envelope may have created a task if it is the rest of one: %s",
  async ([, body, mayExist]) => {
    const store = sharedStore();
    const error = await errorOf(clientOf([reply(404, body)], { store }).generate("order-1"));
    const expected = mayExist
      ? ["OutcomeUnknownError", "unknown"]
      : ["NotFoundError", "notCreated"];
    expect([(error as Error).name, store.states().at(-1)]).toEqual(expected);
  },
);
