import type { MediaGenOptions } from "@mediagen/sdk";
import { clientOf, success } from "./fake-service.ts";

/**
 * What the service responds to one query: a record's fields, an envelope's code, a status without
 * an envelope, or nothing at all.
 */
export type QueryReply =
  | { readonly url?: readonly string[]; readonly status?: number; readonly message?: string }
  | { readonly http: number; readonly retryAfter?: number }
  | { readonly code: number; readonly under?: number }
  | "lost";

/**
 * A client on whose clock every sleep passes at once, and whose queries get the replies in order,
 * the last for ever.
 */
export function clientOnAClock(replies: readonly QueryReply[], options: MediaGenOptions = {}) {
  const queries: number[] = [];
  const client = clientOf(
    [(request) => (request.url.endsWith("infobytaskid") ? respond() : success({ taskid: "t-1" }))],
    { passing: ["pause", "limit", "background"], retries: undefined, ...options },
  );
  const start = client.now();
  function respond(): Response {
    const reply = replies[Math.min(queries.length, replies.length - 1)] ?? "lost";
    queries.push(client.now() - start);
    if (reply === "lost") throw new TypeError("fetch failed");
    if ("code" in reply)
      return Response.json({ code: reply.code, msg: "rejected" }, { status: reply.under ?? 200 });
    if ("http" in reply) {
      const headers = new Headers(
        reply.retryAfter === undefined ? [] : [["retry-after", String(reply.retryAfter)]],
      );
      return new Response("<p>Sign in", { status: reply.http, headers });
    }
    const { url = [], status = 1, message } = reply;
    return success({ taskid: "t-1", url, image_status: status, task_status: status, message });
  }
  return { media: client.media, queries, elapsed: () => client.now() - start };
}
