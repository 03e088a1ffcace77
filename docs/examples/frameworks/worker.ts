import { createMediaGen } from "@mediagen/sdk";
import { createMediaProxy } from "@mediagen/proxy";
import { d1Store, type Database } from "./d1-store.ts";
import { userOf } from "./users.ts";

interface Env {
  readonly DB: Database; // a D1 database with the store's table
  readonly MEDIAGEN_BASE_URL: string;
  readonly MEDIAGEN_API_KEY: string;
  readonly PROXY_SECRET: string;
  readonly USERS: string;
}

export default {
  async fetch(
    request: Request,
    env: Env,
    context: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response> {
    const { MEDIAGEN_BASE_URL: baseUrl, MEDIAGEN_API_KEY: apiKey } = env;
    const mediaProxy = createMediaProxy({
      media: createMediaGen({ baseUrl, apiKey, store: d1Store(env.DB, "media") }),
      secret: env.PROXY_SECRET,
      user: (given) => userOf(given, env.USERS),
      beforeGenerate(form, { model }) {
        if (model !== "vidmodelv2")
          return "This app generates with vidmodelv2 only.";
        // The page chooses the prompt, not what it costs.
        const { prompt, sourceImage } = form;
        return { prompt, sourceImage, duration: 5, resolution: "720p" };
      },
    });
    const response = mediaProxy(request);
    // A generation that has begun is completed, even if the page is closed.
    context.waitUntil(response);
    return response;
  },
};
