import { createMediaGen, type MediaGen, type MediaGenOptions } from "@mediagen/sdk";

/** What the service answers to one query: a record's fields, an envelope's code, or nothing at all. */
export type Answer =
  | { readonly url?: readonly string[]; readonly status?: number }
  | { readonly code: number }
  | "lost";

/** A client whose time is a number that sleeping moves on, and whose queries get the answers in turn, the last for ever. */
export function clientOnAClock(answers: readonly Answer[], options: MediaGenOptions = {}) {
  let now = 1_800_000_000_000;
  const asleep = new Set<{ readonly until: number; readonly wake: () => void }>();
  const queries: number[] = [];
  const start = now;
  const media: MediaGen = createMediaGen({
    baseUrl: "http://localhost",
    apiKey: "key",
    now: () => now,
    random: () => 0.5,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { until: now + ms, wake: resolve };
        asleep.add(sleeper);
        signal.addEventListener("abort", () => (asleep.delete(sleeper), reject(signal.reason)), { once: true });
        setImmediate(moveOn);
      }),
    fetch: async (request) => {
      if (request.url.endsWith("infobytaskid")) return answerQuery();
      return Response.json({ code: 1000, msg: "", data: { taskid: "t-1" } });
    },
    ...options,
  });
  // The earliest sleeper wakes once nothing else is left to do: time passes only while all wait.
  function moveOn(): void {
    const [next] = [...asleep].sort((a, b) => a.until - b.until);
    if (!next) return;
    asleep.delete(next);
    now = Math.max(now, next.until);
    next.wake();
  }
  async function answerQuery(): Promise<Response> {
    const answer = answers[Math.min(queries.length, answers.length - 1)] ?? "lost";
    queries.push(now - start);
    if (answer === "lost") throw new TypeError("fetch failed");
    if ("code" in answer) return Response.json({ code: answer.code, msg: "refused" });
    const { url = [], status = 1 } = answer;
    return Response.json({
      code: 1000,
      msg: "",
      data: { taskid: "t-1", url, image_status: status, task_status: status },
    });
  }
  return { media, queries, elapsed: () => now - start };
}
