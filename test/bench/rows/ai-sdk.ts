import { losses, ways } from "./lost-responses.ts";

export const row = losses({
  title: "Lost responses in the AI SDK",
  what: "100 calls of `generateImage` of `ai` with its defaults, which are two retries. Otherwise as above.",
  clients: ["@mediagen/ai-sdk-provider", "@ai-sdk/replicate", "@ai-sdk/fal"],
  generations: 100,
  lost: ways.slice(0, 1),
});
