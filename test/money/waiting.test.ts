import { memoryStore } from "@mediagen/sdk";
import { expect, test, vi } from "vitest";
import { clientOf, errorOf, success } from "../sdk/fake-service.ts";

test.for<[string, () => unknown]>([
  ["rejects", () => Promise.reject(new Error("my database is down"))],
  ["resolves", () => Promise.resolve("succeeded")],
  ["is of no known state", () => "done"],
])("a classify whose result %s ends its wait, not the process and not the task", async ([, classify]) => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  try {
    // The cast: the types reject it.
    const options = { classify: classify as never, store: memoryStore() };
    const { media, generate } = clientOf([() => success({ taskid: "t-1", url: [] })], options);
    const task = await generate();
    for (const call of [task.wait(), task.check()].map(errorOf))
      expect(await call).toMatchObject({ name: "InvalidRequestError", issues: [{ field: "classify" }] });
    expect((await media.recover()).tasks).toHaveLength(1);
    await new Promise(setImmediate);
    expect(unhandled).not.toHaveBeenCalled();
  } finally {
    process.off("unhandledRejection", unhandled);
  }
});
