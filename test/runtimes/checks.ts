import type { FaultName } from "@mediagen/emulator";
import { blobs, memoryStore, type Task } from "@mediagen/sdk";
import { createHttpClient } from "@mediagen/sdk/http";
import { createMediaProxy } from "@mediagen/proxy";
import { type Check, digest, hangs, matches, nameOf, same, type Stage, thrownBy } from "./conformance.ts";

const form = { prompt: "A fox" };
/** A port that nobody listens at, and that every engine connects to. */
const closed = "http://127.0.0.1:2";

/** The lost responses that engines report in different ways. The fault matrix has the others. */
const lost: readonly FaultName[] = ["resetAfter", "cutBody"];
const generations = 30;

/** Of many generations a third loses its response, on connections that are warm: each is billed once, and each lost one reported. */
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
  if (charged > generations) return tell(`repeated: ${charged - generations} of ${generations / 3} were billed twice`);
  same([charged, told.length], [generations, generations / 3]);
}

/** The checks of every engine. */
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
    name: "results are fetched in full: a cut one is resumed, an expired one renewed",
    async run({ client, next, seen }) {
      const task = await client().image.generate("imgmodelz", form);
      await task.wait();
      await next("downloadCut", "download");
      await next("linkExpired", "download");
      const [resumed] = await blobs(task);
      const met = (await seen()).calls.flatMap(({ fault }) => fault ?? []);
      const [whole] = await blobs(task);
      same(
        [met, resumed?.type, resumed?.size, await digest(resumed)],
        [["linkExpired", "downloadCut"], "image/png", whole?.size, await digest(whole)],
      );
    },
  },
  ...lost.map((fault): Check => ({
    name: `lost responses (${fault}): billed once, each reported`,
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
      if (error === "nothing was thrown" && charged === 2) return tell("it is repeated");
      same([error, charged], ["OutcomeUnknownError", 1]);
    },
  },
  {
    name: "HTTP 429 is retried, and billed once",
    async run({ client, next, seen }) {
      await next("rateLimited", "generate", { times: 3, retryAfter: "0" });
      await client().image.generate("imgmodelz", form);
      const { charged, calls } = await seen();
      same([charged, calls.filter(({ fault }) => fault).length], [1, 3]);
    },
  },
  {
    name: "a closed port is a connection error",
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
    name: "queries are retried until they have a response",
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
    name: "timeouts cover the headers and the body, of generations and of queries",
    async run({ client, next }) {
      const media = client({ generateTimeoutMs: 100, queryTimeoutMs: 100, retries: 0 });
      for (const fault of ["hang", "slowBody"] as const) {
        await next(fault, "generate");
        const error = await thrownBy(media.image.generate("imgmodelz", form));
        matches(error, /^OutcomeUnknownError: .*took longer than 0.1 s/);
        await next(fault, "query");
        matches(await thrownBy(media.image.query("t-1")), /^ConnectionError: .*took longer than 0.1 s/);
      }
    },
  },
  {
    name: "an abort ends every call at once: a generation is unknown, others throw its reason",
    async run(stage) {
      const task = await stage.client().image.generate("imgmodelz", form);
      const calls = [
        ["generate", (signal: AbortSignal) => stage.client().image.generate("imgmodelz", form, { signal })],
        ["query", (signal: AbortSignal) => task.check({ signal })],
        ["query", (signal: AbortSignal) => task.wait({ signal })],
      ] as const;
      for (const [index, [on, call]] of calls.entries()) {
        const controller = new AbortController();
        await stage.next("hang", on);
        const thrown = thrownBy(call(controller.signal));
        await hangs(stage, index + 1);
        controller.abort("enough");
        const error = await thrown;
        same(
          on === "generate" ? [nameOf(error), (error as Error).cause] : error,
          on === "generate" ? ["OutcomeUnknownError", "enough"] : "enough",
        );
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

/** Further checks of browsers. */
export const browserChecks: readonly Check[] = [
  {
    name: "a client is rejected unless the caller allows browsers",
    async run({ client }) {
      same(
        nameOf(await thrownBy(Promise.resolve().then(() => client({ allowBrowser: false })))),
        "InvalidRequestError",
      );
    },
  },
];
