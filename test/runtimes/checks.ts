import type { FaultName } from "@mediagen/emulator";
import { blobs, memoryStore, type Task } from "@mediagen/sdk";
import { createHttpClient } from "@mediagen/sdk/http";
import { createMediaProxy } from "@mediagen/proxy";
import {
  type Checks,
  digest,
  hangs,
  matches,
  nameOf,
  same,
  type Stage,
  thrownBy,
} from "./conformance.ts";

const form = { prompt: "A fox" };
/** A port that nobody listens at, and that every engine connects to. */
const closed = "http://127.0.0.1:2";
const generations = 30;

/**
 * Of many generations a third loses its response, on connections that are warm: each is billed
 * once, and each lost one reported.
 */
async function loseResponses(fault: FaultName, { client, next, seen, tell }: Stage): Promise<void> {
  const media = client();
  const outcomes: PromiseSettledResult<Task>[] = [];
  for (let sent = 0; sent < generations; sent += 6) {
    await next(fault, "generate", { times: 2 });
    const calls = Array.from({ length: 6 }, () => media.image.generate("imgmodelz", form));
    outcomes.push(...(await Promise.allSettled(calls)));
  }
  const names = outcomes.flatMap((one) => (one.status === "rejected" ? [nameOf(one.reason)] : []));
  const known = new Set(
    outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value.taskid] : [])),
  );
  same(new Set(names).size === 1 && names[0], "OutcomeUnknownError");
  same(known.size, generations - names.length);
  const { charged } = await seen();
  if (charged > generations)
    return tell(`repeated: ${charged - generations} of ${generations / 3} were billed twice`);
  same([charged, names.length], [generations, generations / 3]);
}

/**
 * The checks of every engine. Of the lost responses, these are those that engines report in
 * different ways: the fault matrix has the others.
 */
export const checks: Checks = {
  "uploads arrive with name, type and size": async ({ client, seen }) => {
    const png = (size: number) => new Blob(["GIF89a", new Uint8Array(size)], { type: "image/png" });
    const sourceImage = [new File([png(300_000)], "ä first.png", { type: "image/png" }), png(10)];
    await client().video.generate("vidmodelv2", { ...form, sourceImage });
    const files = (await seen()).tasks[0]?.files.map(({ name, type, size }) => [name, type, size]);
    const expected = [
      ["ä first.png", "image/png", 300_006],
      ["sourceImage-2.png", "image/png", 16],
    ];
    same(files, expected);
  },
  "results are fetched in full: a cut one is resumed, an expired one renewed": async ({
    client,
    next,
    seen,
  }) => {
    const task = await client().image.generate("imgmodelz", form);
    await task.wait();
    await next("downloadCut", "download");
    await next("linkExpired", "download");
    const [resumed] = await blobs(task);
    const met = (await seen()).calls.flatMap(({ fault }) => fault ?? []);
    const [whole] = await blobs(task);
    const expected = [
      ["linkExpired", "downloadCut"],
      "image/png",
      whole?.size,
      await digest(whole),
    ];
    same([met, resumed?.type, resumed?.size, await digest(resumed)], expected);
  },
  "lost responses (resetAfter): billed once, each reported": (stage) =>
    loseResponses("resetAfter", stage),
  "lost responses (cutBody): billed once, each reported": (stage) =>
    loseResponses("cutBody", stage),
  "a connection that breaks before the service acts leaves a generation unknown": async (stage) => {
    const media = stage.client();
    await media.image.query((await media.image.generate("imgmodelz", form)).taskid);
    await stage.next("resetBefore", "generate");
    const error = nameOf(await thrownBy(media.image.generate("imgmodelz", form)));
    const { charged } = await stage.seen();
    if (error === "nothing was thrown" && charged === 2) return stage.tell("it is repeated");
    same([error, charged], ["OutcomeUnknownError", 1]);
  },
  "a closed port is a connection error": async ({ client, tell }) => {
    const { image } = client({ baseUrl: closed, retries: 1 });
    const error = nameOf(await thrownBy(image.generate("imgmodelz", form)));
    if (error === "OutcomeUnknownError")
      return tell("the engine does not say that nothing was sent: the outcome is unknown");
    same(
      [error, nameOf(await thrownBy(image.query("t-1")))],
      ["ConnectionError", "ConnectionError"],
    );
  },
  "a redirect is not followed": async ({ client, redirecting, seen }) => {
    const { image } = client({ baseUrl: redirecting });
    same(nameOf(await thrownBy(image.generate("imgmodelz", form))), "OutcomeUnknownError");
    same((await seen()).calls.length, 0);
  },
  "the HTTP client generates": async ({ baseUrl }) => {
    const http = createHttpClient({ baseUrl, apiKey: "emulator-key", allowBrowser: true });
    same((await http.POST("/v1/images/imgmodelz", { body: form })).data?.code, 1000);
  },
  "timeouts cover the headers and the body, of generations and of queries": async ({
    client,
    next,
  }) => {
    const { image } = client({ generateTimeoutMs: 500, queryTimeoutMs: 500, retries: 0 });
    for (const fault of ["hang", "slowBody"] as const) {
      await next(fault, "generate");
      matches(
        await thrownBy(image.generate("imgmodelz", form)),
        /^OutcomeUnknownError: .*took longer than 0.5 s/,
      );
      await next(fault, "query");
      matches(await thrownBy(image.query("t-1")), /^ConnectionError: .*took longer than 0.5 s/);
    }
  },
  "an abort ends every call at once: a generation is unknown, others throw its reason": async (
    stage,
  ) => {
    const task = await stage.client().image.generate("imgmodelz", form);
    const calls = [
      [
        "generate",
        (signal: AbortSignal) => stage.client().image.generate("imgmodelz", form, { signal }),
      ],
      ["query", (signal: AbortSignal) => task.wait({ signal })],
    ] as const;
    for (const [index, [on, call]] of calls.entries()) {
      const controller = new AbortController();
      await stage.next("hang", on);
      const thrown = thrownBy(call(controller.signal));
      await hangs(stage, index + 1);
      controller.abort("enough");
      const error = await thrown;
      if (on === "query") same(error, "enough");
      else same([nameOf(error), (error as Error).cause], ["OutcomeUnknownError", "enough"]);
    }
  },
  "a proxy generates a form that arrives twice once, and shows the task to its user alone": async (
    stage,
  ) => {
    const { client, seen } = stage;
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
    const { video: ann } = pageOf("ann");
    const { video: bob } = pageOf("bob");
    const generate = () =>
      ann.generate("vidmodelv2", { ...form, sourceImage }, { idempotencyKey: "order-1" });
    const [one, two] = await Promise.all([generate(), generate()]);
    const { charged, tasks } = await seen();
    same([one.taskid === two.taskid, charged, tasks[0]?.files[0]?.size], [true, 1, 6]);
    matches(await thrownBy(bob.query(one.taskid)), /no such task/);
    same((await ann.query(one.taskid)).taskid, one.taskid);
  },
};

/** Further checks of browsers. */
export const browserChecks: Checks = {
  "a client is rejected unless the caller allows browsers": async ({ client }) => {
    const creating = Promise.resolve({ allowBrowser: false }).then(client);
    same(nameOf(await thrownBy(creating)), "InvalidRequestError");
  },
};
