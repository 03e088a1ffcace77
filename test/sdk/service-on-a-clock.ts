import { createMediaGen, type MediaGenOptions, type Task, type TaskJSON } from "@mediagen/sdk";

/** How the service treats a task: when it is done, or how its queries fail. */
export type Fate = { readonly doneAfterMs: number } | "hangs" | "lost";

/** One query as the service saw it. */
export interface Query {
  readonly taskid: string;
  readonly at: number;
}

/** A client in virtual time, on a service whose queries take a while; time moves on only when nothing else is left to do. */
export function serviceOnAClock(
  fateOf: (taskid: string) => Fate,
  { latencyMs = 50, ...options }: MediaGenOptions & { readonly latencyMs?: number } = {},
) {
  const start = 1_800_000_000_000;
  let now = start;
  const asleep = new Set<{ readonly until: number; readonly wake: () => void }>();
  const queries: Query[] = [];
  const created = new Map<string, number>();
  const timers = new Set<AbortSignal>();
  let [inFlight, mostInFlight, mostTimers] = [0, 0, 0];

  function sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const sleeper = { until: now + ms, wake: resolve };
      asleep.add(sleeper);
      signal.addEventListener("abort", () => (asleep.delete(sleeper), reject(signal.reason)), { once: true });
    });
  }

  const media = createMediaGen({
    baseUrl: "http://localhost",
    now: () => now,
    random: () => 0.5,
    sleep: (ms, signal) => {
      mostTimers = Math.max(mostTimers, timers.add(signal).size);
      const end = () => timers.delete(signal);
      signal.addEventListener("abort", end, { once: true });
      return sleep(ms, signal).finally(end);
    },
    async fetch(request) {
      const { taskid } = (await request.json()) as { taskid: string };
      queries.push({ taskid, at: now - start });
      mostInFlight = Math.max(mostInFlight, ++inFlight);
      const fate = fateOf(taskid);
      try {
        await sleep(fate === "hangs" ? Infinity : latencyMs, request.signal);
      } finally {
        inFlight--;
      }
      if (typeof fate === "string") throw new TypeError("fetch failed");
      const done = now >= (created.get(taskid) ?? start) + fate.doneAfterMs;
      return Response.json({ code: 1000, msg: "", data: { taskid, url: done ? ["1"] : [] } });
    },
    ...options,
  });

  /** A task of a model, generated now. */
  function task(taskid: string, kind: "video" | "image" = "video"): Task<"video"> | Task<"image"> {
    created.set(taskid, now);
    const saved: TaskJSON = {
      version: 1,
      kind,
      taskid,
      origin: "http://localhost",
      results: 1,
      model: "a model",
      createdAt: now,
    };
    return media.task(saved);
  }

  /** What the promise gives; meanwhile the earliest sleeper wakes whenever all others have nothing left to do. */
  async function pass<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    void promise.then(
      () => (settled = true),
      () => (settled = true),
    );
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (settled) return promise;
      let next: { readonly until: number; readonly wake: () => void } | undefined;
      for (const sleeper of asleep) if (!next || sleeper.until < next.until) next = sleeper;
      if (!next) throw new Error("all sleep, and nobody will wake");
      asleep.delete(next);
      now = Math.max(now, next.until);
      next.wake();
    }
  }

  return {
    media,
    task,
    /** So many tasks, generated now: t-0, t-1, ... */
    tasks: (count: number) => Array.from({ length: count }, (_, index) => task(`t-${index}`)),
    pass,
    sleep: (ms: number) => pass(sleep(ms, new AbortController().signal)),
    queries,
    elapsed: () => now - start,
    seen: () => ({ inFlight, mostInFlight, timers: timers.size, mostTimers }),
  };
}
