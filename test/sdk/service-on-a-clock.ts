import { createMediaGen, type MediaGenOptions, type Task, type TaskJSON } from "@mediagen/sdk";
import { FakeClock, origin, success } from "./fake-service.ts";

/** How the service treats a task: when it is done, or how its queries fail. */
export type Fate = { readonly doneAfterMs: number } | "hangs" | "lost" | "broken";

/** One query as the service saw it. */
export interface Query {
  readonly taskid: string;
  readonly at: number;
}

/**
 * A client in virtual time, on a service whose queries take a while; time moves on only when
 * nothing else is left to do.
 */
export function serviceOnAClock(
  fateOf: (taskid: string) => Fate,
  {
    latencyMs = 50,
    clock: own,
    ...options
  }: MediaGenOptions & { readonly latencyMs?: number | (() => number) } = {},
) {
  const clock = new FakeClock(["pause", "limit", "background"]);
  const start = clock.now;
  const queries: Query[] = [];
  const latency = typeof latencyMs === "function" ? latencyMs : () => latencyMs;
  const created = new Map<string, number>();
  const timers = new Set<AbortSignal>();
  let inFlight = 0;
  let mostInFlight = 0;

  const media = createMediaGen({
    baseUrl: origin,
    clock: {
      now: () => clock.now,
      random: () => 0.5,
      sleep: (ms, signal, reason) => {
        timers.add(signal);
        const end = () => timers.delete(signal);
        signal.addEventListener("abort", end, { once: true });
        return clock.sleep(ms, signal, reason).finally(end);
      },
      ...own,
    },
    async fetch(url, init) {
      const { taskid } = (await new Request(url, init).json()) as { taskid: string };
      queries.push({ taskid, at: clock.now - start });
      mostInFlight = Math.max(mostInFlight, ++inFlight);
      const fate = fateOf(taskid);
      try {
        await clock.sleep(fate === "hangs" ? Infinity : latency(), init.signal, "limit");
      } finally {
        inFlight--;
      }
      if (fate === "broken") return new Response("", { status: 500 });
      if (typeof fate === "string") throw new TypeError("fetch failed");
      const done = clock.now >= (created.get(taskid) ?? start) + fate.doneAfterMs;
      return success({ taskid, url: done ? ["1"] : [] });
    },
    ...options,
  });

  /** A task of a model, generated now. */
  function task(taskid: string, kind: "video" | "image" = "video"): Task<"video"> | Task<"image"> {
    created.set(taskid, clock.now);
    const saved: TaskJSON = {
      version: 2,
      kind,
      taskid,
      origin,
      resultCount: 1,
      model: "a model",
      createdAt: clock.now,
    };
    return media.task(saved);
  }

  /**
   * Resolves to what the promise does. Until then, the earliest sleeper wakes whenever all others
   * have nothing left to do.
   */
  async function pass<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    void promise.then(
      () => (settled = true),
      () => (settled = true),
    );
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (settled) return promise;
      if (!clock.moveOn()) throw new Error("all sleep, and none will wake");
    }
  }

  return {
    media,
    task,
    /** So many tasks, generated now: t-0, t-1, ... */
    tasks: (count: number) => Array.from({ length: count }, (_, index) => task(`t-${index}`)),
    pass,
    sleep: (ms: number) => pass(clock.sleep(ms, new AbortController().signal, "pause")),
    queries,
    elapsed: () => clock.now - start,
    seen: () => ({ inFlight, mostInFlight, timers: timers.size }),
  };
}
