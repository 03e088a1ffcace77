import { setTimeout as pause } from "node:timers/promises";
import { createMediaGen, InvalidRequestError, OutcomeUnknownError, type JournalLog } from "@mediagen/sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLog, forever, journalledClient, lost, refusal } from "./journalled-client.ts";

describe("a key stands for one task", () => {
  test("in this client, in another, and when asked at the same time", async () => {
    const log = createLog();
    const [a, b] = [journalledClient(log), journalledClient(log)];
    const tasks = await Promise.all([a.generate("k"), a.generate("k"), b.generate("k"), b.generate("k")]);
    tasks.push(await a.generate("k"), await journalledClient(log).generate("k"));
    expect(new Set(tasks.map(({ taskid }) => taskid)).size).toBe(1);
    expect(a.sent() + b.sent()).toBe(1);
    expect((await a.generate("other")).taskid).not.toBe(tasks[0]?.taskid);
  });

  test("so it does not stand for another form or another model", async () => {
    const { generate, media, sent } = journalledClient(createLog());
    await generate("k");
    await expect(generate("k", "A hare")).rejects.toThrow(/"k" with another form/);
    await expect(media.image.generate("imgmodelv5", { prompt: "A fox" }, { once: "k" })).rejects.toThrow(
      /another model/,
    );
    await expect(media.video.generate("vidmodelv2", { prompt: "A fox" }, { once: "k" })).rejects.toBeInstanceOf(
      InvalidRequestError,
    );
    expect(sent()).toBe(1);
  });

  test("at one service", async () => {
    const log = createLog();
    await journalledClient(log).generate("k");
    const elsewhere = journalledClient(log, [], { baseUrl: "https://elsewhere.example" });
    await elsewhere.generate("k", "A hare");
    expect(elsewhere.sent()).toBe(1);
  });

  test("and needs a journal, and a text", async () => {
    const media = createMediaGen({ baseUrl: "http://localhost" });
    await expect(media.image.generate("imgmodelz", { prompt: "A fox" }, { once: "k" })).rejects.toThrow(
      /once.*no journal/,
    );
    await expect(journalledClient(createLog()).generate("")).rejects.toThrow("once");
  });
});

describe("a key whose generation", () => {
  test("was refused may be sent anew, also with another form", async () => {
    const { generate, errorOf, sent } = journalledClient(createLog(), [
      refusal,
      () => Response.json({ code: 1000, msg: "", data: { taskid: "t-2" } }),
    ]);
    await errorOf(generate("k", "A hare"));
    expect((await generate("k")).taskid).toBe("t-2");
    expect(sent()).toBe(2);
  });

  test("has an unknown outcome throws so again, until it is resolved", async () => {
    for (const resolution of [{ taskid: "t-7" }, "not created"] as const) {
      const log = createLog();
      const first = journalledClient(log, [lost]);
      const error = await first.errorOf(first.generate("k"));
      const second = journalledClient(log, [() => Response.json({ code: 1000, msg: "", data: { taskid: "t-8" } })]);
      const again = await second.errorOf(second.generate("k"));
      expect(again).toBeInstanceOf(OutcomeUnknownError);
      const { id, digest, at } = again as OutcomeUnknownError;
      expect(error).toMatchObject({ id, digest, at });
      await second.media.resolve(id ?? "", resolution as "not created");
      expect((await second.generate("k")).taskid).toBe(resolution === "not created" ? "t-8" : "t-7");
      expect(second.sent()).toBe(resolution === "not created" ? 1 : 0);
    }
  });

  test("runs elsewhere is waited for, until the call is aborted", async () => {
    const log = createLog();
    const reply = Promise.withResolvers<Response>();
    const running = journalledClient(log, [() => reply.promise]);
    const first = running.generate("k");
    await expect.poll(() => log.types()).toContain("intent");
    const waiting = journalledClient(log);
    const controller = new AbortController();
    const aborted = waiting.media.image.generate(
      "imgmodelz",
      { prompt: "A fox" },
      { once: "k", signal: controller.signal },
    );
    const second = waiting.generate("k");
    await pause(20);
    controller.abort("enough");
    await expect(aborted).rejects.toBe("enough");
    reply.resolve(Response.json({ code: 1000, msg: "", data: { taskid: "t-1" } }));
    expect([(await first).taskid, (await second).taskid, waiting.sent()]).toEqual(["t-1", "t-1", 0]);
  });

  test("was sent by a process that ended is unknown once its lease has run out", async () => {
    const log = createLog();
    const noLease: JournalLog = {
      ...log,
      append: (entry) => (entry.type === "lease" ? new Promise(() => undefined) : log.append(entry)),
    };
    void journalledClient(noLease, [forever]).generate("k");
    await expect.poll(() => log.types()).toContain("intent");
    const { generate, errorOf, sent } = journalledClient(log);
    expect(await errorOf(generate("k"))).toMatchObject({
      name: "OutcomeUnknownError",
      message: expect.stringContaining("ended before it noted an answer"),
    });
    expect(sent()).toBe(0);
  });
});

test("a log that can look for a key is never read whole, whoever else appends to it", async () => {
  const log = createLog();
  const looking: JournalLog = {
    append: log.append,
    entries: () => expect.fail("it was read whole"),
    async entriesOf(origin, once) {
      const entries = await log.entries();
      const ids = new Set(
        entries.flatMap((entry) =>
          entry.type === "intent" && entry.origin === origin && entry.once === once ? entry.id : [],
        ),
      );
      return entries.filter((entry) => entry.type === "lease" || ("id" in entry && ids.has(entry.id)));
    },
  };
  const [client, other] = [journalledClient(looking), journalledClient(log)];
  for (let i = 0; i < 20; i++) await other.generate(`k${i}`);
  const tasks = await Promise.all(Array.from({ length: 40 }, (_, i) => client.generate(`k${i}`)));
  expect(new Set(tasks.map(({ taskid }) => taskid)).size).toBe(40);
  expect([other.sent(), client.sent()]).toEqual([20, 20]);
});

test("a log that does not give back what was appended sends nothing", async () => {
  const { generate, errorOf, sent } = journalledClient({ ...createLog(), entries: async () => [] });
  expect(await errorOf(generate("k"))).toMatchObject({ message: expect.stringContaining("does not give back") });
  expect(sent()).toBe(0);
});

test("whatever the order of appends, reads and answers, one task is created and no two requests are out at once", async () => {
  const outcome = fc.constantFrom("created" as const, "refused" as const);
  await fc.assert(
    fc.asyncProperty(fc.array(outcome, { minLength: 0, maxLength: 3 }), fc.scheduler(), async (outcomes, scheduler) => {
      const log = createLog();
      const later = <T>(what: string, next: () => Promise<T>) => scheduler.schedule(Promise.resolve(), what).then(next);
      const slow: JournalLog = {
        append: (entry) =>
          later(entry.type, () => log.append(entry)).then(() => later("appended", async () => undefined)),
        entries: () => later("read", log.entries).then((entries) => later("was read", async () => entries)),
      };
      let [out, most, created] = [0, 0, 0];
      const fetch = async () => {
        most = Math.max(most, ++out);
        const refused = outcomes.shift() === "refused";
        await later("answer", async () => undefined);
        out--;
        return refused ? refusal() : Response.json({ code: 1000, msg: "", data: { taskid: `t-${++created}` } });
      };
      const calls = Array.from({ length: 3 }, () => journalledClient(slow, [], { fetch })).map(
        ({ generate, errorOf }) => errorOf(generate("k")),
      );
      await scheduler.waitFor(Promise.all(calls));
      const taskids = (await Promise.all(calls)).flatMap((result) =>
        result instanceof Error ? [] : (result as { taskid: string }).taskid,
      );
      expect(most).toBeLessThan(2);
      expect(created).toBeLessThan(2);
      expect(new Set(taskids).size).toBe(created);
    }),
    { numRuns: 100 },
  );
});
