import { createMediaGen, fileStore } from "@mediagen/sdk/node";
import { createMediaProxy } from "@mediagen/proxy";
import { isWithinQuota } from "./quota.ts";
import { userOf } from "./users.ts";

export const mediaProxy: (request: Request) => Promise<Response> = createMediaProxy(
  {
    // The API key stays in this process.
    media: createMediaGen({
      store: fileStore(process.env["STORE_DIRECTORY"] ?? "generations"),
    }),
    secret: process.env["PROXY_SECRET"] ?? "",
    user: (request) => userOf(request, process.env["USERS"]),
    beforeGenerate(form, { user, model, idempotencyKey }) {
      if (model !== "vidmodelv2") return "This app generates with vidmodelv2 only.";
      if (!isWithinQuota(user, idempotencyKey))
        return "You have used your videos of today.";
      // The page chooses the prompt, not what it costs.
      const { prompt, sourceImage } = form;
      return { prompt, sourceImage, duration: 5, resolution: "720p" };
    },
  },
);
