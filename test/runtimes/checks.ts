import type { FaultName } from "@mediagen/emulator";
import { blobs, memoryStore, waitEach, type Task } from "@mediagen/sdk";
import { createHttpClient } from "@mediagen/sdk/http";
import { createMediaProxy } from "@mediagen/proxy";
import {
  digest,
  hangs,
  limitsPassAtHang,
  matches,
  nameOf,
  same,
  thrownBy,
  type Check,
  type Stage,
} from "./conformance.ts";

const form = { prompt: "A fox" };
/** A port that nobody listens at, and that no engine refuses by itself. */
const closed = "http://127.0.0.1:2";

/** The answers that a generation's outcome cannot be told from. */
const lost: readonly FaultName[] = [
  "resetAfter",
  "cutBody",
  "html",
  "brokenJson",
  "emptyBody",
  "serverError",
  "wrongCode",
];
const generations = 30;

/** Of many generations a third loses its answer, on connections that are warm: each is paid once, and each lost one told. */
async function loseAnswers(fault: FaultName, { client, next, seen, tell }: Stage): Promise<void> {
  const media = client();
  const outcomes: PromiseSettledResult<Task>[] = [];
  for (let sent = 0; sent < generations; sent += 6) {
    await next(fault, "generate", { times: 2 });
    outcomes.push(
      ...(await Promise.allSettled(Array.from({ length: 6 }, () => media.image.generate("imgmodelz", form)))),
    );
  }
  const told = outcomes.flatMap((one) => (one.status === "rejected" ? [nameOf(one.reason)] : []));
  const known = new Set(outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value.taskid] : [])));
  same(
    told.filter((name) => name !== "OutcomeUnknownError"),
    [],
  );
  same(known.size, generations - told.length);
  const { charged } = await seen();
  if (charged > generations)
    return tell(`lost ones are sent again: ${charged - generations} of ${generations / 3} were paid twice`);
  same([charged, told.length], [generations, generations / 3]);
}

/** What every engine is held to. */
export const checks: readonly Check[] = [
  {
    name: "uploads arrive with name, type and size",
    async run({ client, seen }) {
      const png = (size: number) => new Blob(["GIF89a", new Uint8Array(size)], { type: "image/png" });
      await client().video.generate("vidmodelv2", {
        ...form,
        sourceImage: [new File([png(300_000)], "ä first.png", { type: "image/png" }), png(10)],
      });
      const [task] = (await seen()).tasks;
      const size = (more: number) => png(more).size;
      same(
        task?.files.map(({ name, type, size: bytes }) => [name, type, bytes]),
        [
          ["ä first.png", "image/png", size(300_000)],
          ["sourceImage-2.png", "image/png", size(10)],
        ],
      );
    },
  },
  {
    name: "a generation is waited for, also by another client",
    async run({ client, seen }) {
      const task = await client().image.generate("imgmodelv4", { ...form, batchsize: 2 });
      const states: unknown[] = [];
      const record = await client()
        .task(JSON.parse(JSON.stringify(task)))
        .wait({ onUpdate: ({ state }) => void states.push(state) });
      same([record.url.length, states.at(-1), states.length > 1], [2, "succeeded", true]);
      same((await seen()).charged, 1);
    },
  },
  {
    name: "many tasks are waited for, each on its own",
    async run({ client }) {
      const media = client({ statuses: { failed: [3] } });
      const prompts = Array.from({ length: 12 }, (_, index) => (index % 4 === 0 ? "A fox #fail" : "A fox"));
      const tasks = await Promise.all(prompts.map((prompt) => media.image.generate("imgmodelz", { prompt })));
      const errors: unknown[] = [];
      for await (const outcome of waitEach(tasks)) errors.push(outcome.ok ? undefined : nameOf(outcome.error));
      same(
        [errors.length, errors.filter((name) => name === "TaskFailedError").length, errors.filter(Boolean).length],
        [12, 3, 3],
      );
    },
  },
  {
    name: "results are fetched whole, a cut one goes on, an expired one is renewed",
    async run({ client, next, seen }) {
      const task = await client().image.generate("imgmodelz", form);
      await task.wait();
      await next("downloadCut", "download");
      await next("linkExpired", "download");
      const [mended] = await blobs(task);
      const met = (await seen()).calls.flatMap(({ fault }) => fault ?? []);
      const [whole] = await blobs(task);
      same(
        [met, mended?.type, mended?.size, await digest(mended)],
        [["linkExpired", "downloadCut"], "image/png", whole?.size, await digest(whole)],
      );
    },
  },
  {
    name: "a deleted task is gone",
    async run({ client }) {
      const media = client();
      const task = await media.image.generate("imgmodelz", form);
      await task.delete({ uid: "u-1" });
      same(nameOf(await thrownBy(task.check())), "ServiceError");
    },
  },
  {
    name: "a wrong form is refused before anything is sent",
    async run({ client, seen }) {
      // The cast: the wrong value is meant.
      same(
        nameOf(await thrownBy(client().video.generate("vidmodelv2", { ...form, duration: 7 as 5 }))),
        "InvalidRequestError",
      );
      same((await seen()).calls.length, 0);
    },
  },
  ...lost.map((fault): Check => ({
    name: `lost answers (${fault}): paid once, each told`,
    run: (stage) => loseAnswers(fault, stage),
  })),
  {
    name: "a connection that breaks before the service acts leaves a generation unknown",
    async run({ client, next, seen, tell }) {
      const media = client();
      await media.image.query((await media.image.generate("imgmodelz", form)).taskid);
      await next("resetBefore", "generate");
      const error = nameOf(await thrownBy(media.image.generate("imgmodelz", form)));
      const { charged } = await seen();
      if (error === "nothing was thrown" && charged === 2) return tell("it is sent again");
      same([error, charged], ["OutcomeUnknownError", 1]);
    },
  },
  {
    name: "a rejection is reported, and not resent",
    async run({ client, next, seen }) {
      const media = client();
      for (const [fault, name] of [
        ["failure", "ServiceError"],
        ["insufficientCredits", "InsufficientCreditsError"],
      ] as const) {
        await next(fault, "generate");
        same(nameOf(await thrownBy(media.image.generate("imgmodelz", form))), name);
      }
      const { charged, calls } = await seen();
      same([charged, calls.filter(({ fault }) => fault).length], [0, 2]);
    },
  },
  {
    name: "HTTP 429 is sent again, and paid once",
    async run({ client, next, seen }) {
      await next("rateLimited", "generate", { times: 3, retryAfter: "0" });
      await client().image.generate("imgmodelz", form);
      const { charged, calls } = await seen();
      same([charged, calls.filter(({ fault }) => fault).length], [1, 3]);
    },
  },
  {
    name: "a refused connection is told as such",
    async run({ client, tell }) {
      const error = nameOf(await thrownBy(client({ baseUrl: closed, retries: 1 }).image.generate("imgmodelz", form)));
      if (error === "OutcomeUnknownError")
        return tell("the engine does not say that nothing was sent: the outcome is unknown");
      same(error, "ConnectionError");
      same(nameOf(await thrownBy(client({ baseUrl: closed, retries: 1 }).image.query("t-1"))), "ConnectionError");
    },
  },
  {
    name: "a redirect is not followed",
    async run({ client, redirecting, seen }) {
      same(
        nameOf(await thrownBy(client({ baseUrl: redirecting }).image.generate("imgmodelz", form))),
        "OutcomeUnknownError",
      );
      same((await seen()).calls.length, 0);
    },
  },
  {
    name: "the HTTP client survives responses that come before an upload is complete, and generates",
    async run({ baseUrl, redirecting, seen }) {
      const options = { apiKey: "emulator-key", allowBrowser: true };
      const early = createHttpClient({ ...options, baseUrl: redirecting });
      const large = new Blob(["GIF89a", new Uint8Array(16_000_000)], { type: "image/gif" });
      for (let sent = 0; sent < 5; sent++) {
        // workerd returns the response.
        const result = await early
          .POST("/v1/video/vidmodelv2", { body: { "sourceImage.items": [large] } })
          .catch(() => undefined);
        same(result?.data, undefined);
      }
      same((await seen()).calls.length, 0);
      const http = createHttpClient({ ...options, baseUrl });
      same((await http.POST("/v1/images/imgmodelz", { body: form })).data?.code, 1000);
    },
  },
  {
    name: "queries are repeated until they are answered",
    async run({ client, next }) {
      const media = client();
      const { taskid } = await media.image.generate("imgmodelz", form);
      for (const fault of [
        "resetBefore",
        "resetAfter",
        "cutBody",
        "serverError",
        "unavailable",
        "rateLimited",
      ] as const) {
        await next(fault, "query", fault === "unavailable" || fault === "rateLimited" ? { retryAfter: "0" } : {});
        same((await media.image.query(taskid)).taskid, taskid);
      }
    },
  },
  {
    name: "a generation's time limit leaves it unknown",
    async run(stage) {
      await stage.next("hang", "generate");
      const error = await thrownBy(stage.client(limitsPassAtHang(stage)).image.generate("imgmodelz", form));
      matches(error, /^OutcomeUnknownError: .*took longer than [\d.]+ (s|min)/);
      same((await stage.seen()).charged, 1);
    },
  },
  {
    name: "a query's time limit says that asking again is safe",
    async run(stage) {
      await stage.next("hang", "query");
      const error = await thrownBy(stage.client({ ...limitsPassAtHang(stage), retries: 0 }).image.query("t-1"));
      matches(error, /^ConnectionError: .*took longer than [\d.]+ (s|min)/);
    },
  },
  {
    name: "an answer that stands still is given up",
    async run({ client, next }) {
      await next("slowBody", "generate");
      const error = await thrownBy(client({ generateTimeoutMs: 50 }).image.generate("imgmodelz", form));
      matches(error, /^OutcomeUnknownError: .* took longer than 0.05 s/);
    },
  },
  {
    name: "a wait ends at its deadline, and keeps the task",
    async run({ client, next }) {
      const task = await client().image.generate("imgmodelz", form);
      await next("hang", "query", { times: 100 });
      const error = await thrownBy(task.wait({ waitTimeoutMs: 50 }));
      same([nameOf(error), (error as { task?: Task }).task?.taskid], ["WaitTimeoutError", task.taskid]);
    },
  },
  {
    name: "an abort before sending sends nothing",
    async run({ client, seen }) {
      same(
        await thrownBy(client().image.generate("imgmodelz", form, { signal: AbortSignal.abort("enough") })),
        "enough",
      );
      same((await seen()).calls.length, 0);
    },
  },
  {
    name: "an abort after sending leaves a generation unknown",
    async run(stage) {
      const controller = new AbortController();
      await stage.next("hang", "generate");
      const call = thrownBy(stage.client().image.generate("imgmodelz", form, { signal: controller.signal }));
      await hangs(stage);
      controller.abort("enough");
      const error = await call;
      same([nameOf(error), (error as Error).cause], ["OutcomeUnknownError", "enough"]);
    },
  },
  {
    name: "an abort ends queries and waits at once, with its reason",
    async run(stage) {
      const task = await stage.client().image.generate("imgmodelz", form);
      const calls = [(signal: AbortSignal) => task.check({ signal }), (signal: AbortSignal) => task.wait({ signal })];
      for (const [index, call] of calls.entries()) {
        const controller = new AbortController();
        await stage.next("hang", "query");
        const thrown = thrownBy(call(controller.signal));
        await hangs(stage, index + 1);
        controller.abort("enough");
        same(await thrown, "enough");
      }
    },
  },
  {
    name: "a proxy generates a form that arrives twice once, and shows the task to its user alone",
    async run({ client, seen }) {
      const proxy = createMediaProxy({
        media: client({ store: memoryStore() }),
        secret: "0123456789abcdef0123456789abcdef",
        user: ({ headers }) => headers.get("x-user"),
      });
      const pageOf = (user: string) =>
        client({
          baseUrl: "https://app.test/api/media",
          apiKey: undefined,
          headers: { "x-user": user },
          fetch: (url, init) => proxy(new Request(url, init)),
        });
      const sourceImage = new File(["GIF89a"], "first.gif", { type: "image/gif" });
      const generate = () =>
        pageOf("ann").video.generate("vidmodelv2", { ...form, sourceImage }, { idempotencyKey: "order-1" });
      const [one, two] = await Promise.all([generate(), generate()]);
      same(one.taskid, two.taskid);
      const { charged, tasks } = await seen();
      same([charged, tasks[0]?.files.map(({ name, size }) => [name, size])], [1, [["first.gif", 6]]]);
      matches(await thrownBy(pageOf("bob").video.query(one.taskid)), /no such task/);
      same((await pageOf("ann").video.query(one.taskid)).taskid, one.taskid);
    },
  },
];

/** What a browser is held to beside. */
export const browserChecks: readonly Check[] = [
  {
    name: "a client is refused unless the caller allows browsers",
    async run({ client }) {
      same(
        nameOf(await thrownBy(Promise.resolve().then(() => client({ allowBrowser: false })))),
        "InvalidRequestError",
      );
    },
  },
];
