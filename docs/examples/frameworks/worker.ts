import { createMediaGen } from "@mediagen/sdk";
import { d1Store, type Database } from "./d1-store.ts";
import { userOf } from "./users.ts";
import { videosIn } from "./videos-in-d1.ts";
import { type Account, bodyOf, readVideo, signedOut, startVideo, toResponse } from "./videos.ts";

interface Env {
  readonly DB: Database; // a D1 database, with a table `video` and the store's `generation`
  readonly MEDIAGEN_BASE_URL: string;
  readonly USERS: string;
}

function accountOf(request: Request, { DB, MEDIAGEN_BASE_URL: baseUrl, USERS }: Env): Account | undefined {
  const user = userOf(request.headers.get("authorization"), USERS);
  if (!user) return undefined;
  const media = createMediaGen({ baseUrl, apiKey: user.apiKey, store: d1Store(DB, user.id) });
  return { user: user.id, media, videos: videosIn(DB) };
}

async function respond(request: Request, env: Env): Promise<Response> {
  const account = accountOf(request, env);
  if (!account) return toResponse(signedOut);
  const [, id] = /^\/videos\/([\w-]+)$/.exec(new URL(request.url).pathname) ?? [];
  if (id && request.method === "POST") return toResponse(await startVideo(account, id, await bodyOf(request)));
  if (id && request.method === "GET") return toResponse(await readVideo(account, id));
  return toResponse({ status: 404, body: { error: "not found" } });
}

export default {
  async fetch(request: Request, env: Env, context: { waitUntil(work: Promise<unknown>): void }): Promise<Response> {
    const response = respond(request, env);
    context.waitUntil(response); // A generation that has begun is completed, even if the page is closed.
    return response;
  },
};
