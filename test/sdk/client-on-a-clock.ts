import type { MediaGenOptions } from "@mediagen/sdk";
import { clientOf, success } from "./fake-service.ts";

/** What the service responds to one query: a record's fields, an envelope's code, a status without an envelope, or nothing at all. */
export type Answer =
  | { readonly url?: readonly string[]; readonly status?: number; readonly message?: string }
  | { readonly http: number; readonly retryAfter?: number }
  | { readonly code: number }
  | "lost";

/** A client on whose clock every sleep passes at once, and whose queries get the answers in turn, the last for ever. */
export function clientOnAClock(answers: readonly Answer[], options: MediaGenOptions = {}) {
  const queries: number[] = [];
  const client = clientOf(
    [(request) => (request.url.endsWith("infobytaskid") ? respond() : success({ taskid: "t-1" }))],
    { passing: ["pause", "limit", "background"], retries: undefined, ...options },
  );
  const start = client.now();
  function respond(): Response {
    const answer = answers[Math.min(queries.length, answers.length - 1)] ?? "lost";
    queries.push(client.now() - start);
    if (answer === "lost") throw new TypeError("fetch failed");
    if ("code" in answer) return Response.json({ code: answer.code, msg: "rejected" });
    if ("http" in answer) {
      const headers = new Headers(answer.retryAfter === undefined ? [] : [["retry-after", String(answer.retryAfter)]]);
      return new Response("<p>Sign in", { status: answer.http, headers });
    }
    const { url = [], status = 1, message } = answer;
    return success({ taskid: "t-1", url, image_status: status, task_status: status, message });
  }
  return { media: client.media, queries, elapsed: () => client.now() - start };
}
