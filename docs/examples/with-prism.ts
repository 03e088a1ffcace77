// #region mock
import { createMediaGen, InsufficientCreditsError } from "@mediagen/sdk";

const media = createMediaGen({
  baseUrl: process.env["MOCK_URL"] ?? "http://127.0.0.1:4010",
  apiKey: "any",
});

const task = await media.video.generate("vidmodelv2", {
  prompt: "A fox runs through snow",
});
// always the examples of the spec
console.log(task.taskid, (await task.wait()).url);
// #endregion mock

// #region prefer
const poor = createMediaGen({
  baseUrl: process.env["MOCK_URL"] ?? "http://127.0.0.1:4010",
  apiKey: "any",
  fetch: (url, init) =>
    fetch(url, {
      ...init,
      headers: { ...init.headers, Prefer: "example=insufficientCredits" },
    }),
});
await poor.image
  .generate("imgmodelv4", { prompt: "A fox" })
  .catch((error: unknown) => {
    console.log(error instanceof InsufficientCreditsError);
  });
// #endregion prefer
