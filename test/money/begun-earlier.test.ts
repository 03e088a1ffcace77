import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { planBatch, runBatch } from "@mediagen/batch";
import { OutcomeUnknownError, StoreError } from "@mediagen/sdk";
import { fileStore } from "@mediagen/sdk/node";
import { expect, test } from "vitest";
import { clientOf, errorOf, FakeClock, origin, success } from "../sdk/fake-service.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

// The directories were begun by commit eddc4ce, whose processes were killed. Every later build
// resumes them and pays for nothing again.

const fox = new File(["GIF89a"], "fox.gif", { type: "image/gif" });

/** A copy of a directory that was begun earlier. */
async function begun(name: string): Promise<string> {
  const directory = await temporaryDirectory();
  await cp(join(import.meta.dirname, "begun-earlier", name), directory, { recursive: true });
  return directory;
}

/** Responds to everything except a generation: each task has succeeded. */
async function respond(request: Request): Promise<Response | undefined> {
  if (request.method === "GET") return new Response("GIF89a");
  if (!request.url.endsWith("infobytaskid")) return undefined;
  const { taskid } = (await request.json()) as { readonly taskid: string };
  return success({ taskid, url: [`${origin}/${taskid}.gif`], task_status: 2, image_status: 2 });
}

/**
 * A client of the store, which counts the paid requests. Its clock is virtual, so the machine that
 * runs the test is irrelevant.
 */
async function resume() {
  const paid: string[] = [];
  const reply = async (request: Request) => {
    const response = await respond(request.clone());
    return response ?? success({ taskid: `t-paid-${paid.push(request.url)}` });
  };
  const store = fileStore(await begun("store"));
  return { ...clientOf([reply], { store }), paid };
}

const keyed = (client: Awaited<ReturnType<typeof resume>>, key: string) =>
  client.generate(key, key);

test("the keys of a store bring their tasks, also those that have ended", async () => {
  const client = await resume();
  const { image, video } = client.media;
  const taskids = async (keys: readonly string[]) =>
    Promise.all(keys.map(async (key) => (await keyed(client, key)).taskid));
  expect(
    await taskids(["created", "succeeded", "failed", "deleted", "lost, resolved by hand"]),
  ).toEqual(["t-created", "t-succeeded", "t-failed", "t-deleted", "t-by-hand"]);
  // Their digests contain line breaks and the bytes of a file.
  const form = { prompt: "from a picture", sourceImage: [fox], duration: 5 } as const;
  const clip = await video.generate("vidmodelv2", form, { idempotencyKey: "from a picture" });
  const images = { prompt: "four\nimages", batchsize: 4 } as const;
  const four = await image.generate("imgmodelv4", images, { idempotencyKey: "four images" });
  expect([clip.taskid, four.taskid, four.resultCount]).toEqual([
    "t-from-a-picture",
    "t-four-images",
    4,
  ]);
  const error = await errorOf(client.generate("created", "Another form"));
  expect(error).toMatchObject({
    name: "InvalidRequestError",
    issues: [{ field: "idempotencyKey" }],
  });
  expect(client.paid).toEqual([]);
});

test("recover() lists the tasks, the successes that nobody may have fetched, and what is unknown or cannot be read", async () => {
  const client = await resume();
  const { tasks, finished, unknown, unreadable } = await client.media.recover();
  expect(tasks.map(({ taskid }) => taskid).toSorted()).toEqual([
    "t-by-hand",
    "t-created",
    "t-created-without-a-key",
    "t-four-images",
    "t-from-a-picture",
  ]);
  expect(finished.map(({ taskid }) => taskid)).toEqual(["t-succeeded-without-a-key"]);
  expect(unknown.map(({ idempotencyKey }) => idempotencyKey).toSorted()).toEqual([
    "lost",
    "sending",
  ]);
  expect(unreadable).toHaveLength(2);
  expect((await tasks.find(({ taskid }) => taskid === "t-created")?.wait())?.taskid).toBe(
    "t-created",
  );
  expect(client.paid).toEqual([]);
});

test("a key whose outcome is unknown, or whose record cannot be read, sends nothing", async () => {
  const client = await resume();
  for (const key of ["lost", "sending"]) {
    const error = await errorOf(keyed(client, key));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    const { generationId } = error as OutcomeUnknownError;
    await client.media.resolve(generationId ?? "", { taskid: `t-found-${key}` });
    expect((await keyed(client, key)).taskid).toBe(`t-found-${key}`);
  }
  for (const key of ["damaged", "newer"])
    expect(await errorOf(keyed(client, key))).toBeInstanceOf(StoreError);
  expect(client.paid).toEqual([]);
});

test("a key that a dead process had claimed, or whose form was rejected, is free: nothing was billed for it", async () => {
  for (const key of ["claimed", "rejected"]) {
    const client = await resume();
    const { taskid } = await keyed(client, key);
    expect([taskid, (await keyed(client, key)).taskid]).toEqual(["t-paid-1", "t-paid-1"]);
    expect(client.paid).toHaveLength(1);
  }
});

test("a batch is resumed: its tasks bring their results, lines of unknown outcome stay, and nothing is sent", async () => {
  const directory = await begun("batch");
  const input = join(directory, "jobs.jsonl");
  const out = join(directory, "results");
  const paid: string[] = [];
  const clock = new FakeClock(["pause"]);
  const options = {
    baseUrl: origin,
    apiKey: "sk-test",
    statuses: { failed: [3] },
    clock: {
      now: () => clock.now,
      sleep: (...[ms, signal, reason]: Parameters<FakeClock["sleep"]>) => {
        setImmediate(() => clock.moveOn());
        return clock.sleep(ms, signal, reason);
      },
    },
    fetchSendsOnce: true,
    fetch: async (url: string, init: RequestInit) =>
      (await respond(new Request(url, init))) ?? success({ taskid: `t-paid-${paid.push(url)}` }),
  };
  expect(await planBatch(input, out, options)).toMatchObject({
    lines: 6,
    generations: 0,
    unknown: 2,
  });
  const ended = { lines: 6, succeeded: 3, failed: 1, unknown: 2, generated: 0 };
  for (let run = 1; run <= 2; run++)
    expect(await runBatch(input, out, options)).toMatchObject(ended);
  const results = (await readFile(join(out, "results.jsonl"), "utf8")).trim().split("\n");
  const taskids = results.map((line) => (JSON.parse(line) as { readonly taskid: string }).taskid);
  expect(taskids.toSorted()).toEqual([
    "t-created",
    "t-created-from-a-picture",
    "t-done",
    "t-failed",
  ]);
  expect(paid).toEqual([]);
});
