import { type MediaGen, OutcomeUnknownError } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { clientOf, created, errorOf, rejection, silentSender } from "./fake-service.ts";

const taskidsOf = async (media: MediaGen) =>
  (await media.recover()).tasks.map(({ taskid }) => taskid).toSorted();

describe("a response that arrives after others have taken its sender for dead", () => {
  type Client = ReturnType<typeof clientOf>;
  type Takeover = (other: Client, id: string) => Promise<unknown>;
  const isUnknown: Takeover = async ({ generate }) =>
    expect(await errorOf(generate("order-1"))).toBeInstanceOf(OutcomeUnknownError);
  const isNone: Takeover = async ({ media }, id) => {
    for (const { attempt } of (await media.recover()).unknown)
      await media.resolve(id, "notCreated", { attempt });
  };
  const isGeneratedAgain: Takeover = async (other, id) => {
    await isNone(other, id);
    return other.generate("order-1");
  };
  const isAnother: Takeover = async (other, id) => {
    await isUnknown(other, id);
    await other.media.resolve(id, { taskid: "t-7", unverified: true });
  };

  test.for<
    [
      string,
      Takeover,
      response: "task" | "rejection",
      tasks: readonly string[],
      ofKey: string,
      sent: number,
    ]
  >([
    ["a task is that of its key", isUnknown, "task", ["t-late"], "t-late", 0],
    ["a rejection frees its key", isUnknown, "rejection", ["t-other"], "t-other", 1],
    [
      "a task is kept although a person said that there is none",
      isNone,
      "task",
      ["t-late"],
      "t-late",
      0,
    ],
    [
      "a task is kept next to the next attempt's",
      isGeneratedAgain,
      "task",
      ["t-late", "t-other"],
      "t-other",
      1,
    ],
    [
      "a rejection does not free the key of the next attempt",
      isGeneratedAgain,
      "rejection",
      ["t-other"],
      "t-other",
      1,
    ],
    ["a task is kept next to that of a person", isAnother, "task", ["t-7", "t-late"], "t-7", 0],
    [
      "a rejection does not free the key of a person's task",
      isAnother,
      "rejection",
      ["t-7"],
      "t-7",
      0,
    ],
  ])("%s", async ([, takeOver, response, tasks, ofKey, sent]) => {
    const sender = await silentSender();
    const other = clientOf([() => created("t-other")], { store: sender.store });
    await takeOver(other, sender.id);
    sender.respond(response === "task" ? created("t-late") : rejection());
    expect(await sender.task).toMatchObject(
      response === "task" ? { taskid: "t-late" } : { name: "ServiceError" },
    );
    expect(sender.events.some(({ type }) => type === "lateTask")).toBe(response === "task");
    expect((await other.generate("order-1")).taskid).toBe(ofKey);
    expect(await taskidsOf(other.media)).toEqual(tasks);
    expect([sender.sent(), other.sent()]).toEqual([1, sent]);
  });

  test("a task is kept although a person resolves its generation to another one at that moment", async () => {
    const { store, task, respond, id, cannotRenew } = await silentSender();
    const other = clientOf([], { store });
    await isUnknown(other, id);
    let isResolved = false;
    store.beforeWrite(async (entry) => {
      cannotRenew(entry);
      // The late task is about to follow `unknown` when a person resolves the same revision.
      if (
        isResolved ||
        entry.task?.taskid !== "t-1" ||
        entry.revision - 1 !== (await store.get(id))?.revision
      )
        return;
      isResolved = true;
      await other.media.resolve(id, { taskid: "t-7", unverified: true });
    });
    respond(created("t-1"));
    expect(await task).toMatchObject({ taskid: "t-1" });
    expect([isResolved, await taskidsOf(other.media)]).toEqual([true, ["t-1", "t-7"]]);
  });
});
