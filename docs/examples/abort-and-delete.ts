// #region client
import { createMediaGen, OutcomeUnknownError } from "@mediagen/sdk/node";

const media = createMediaGen();
// #endregion client

// #region before
const closed = AbortSignal.abort("the page was closed");
await media.video
  .generate("vidmodelv2", { prompt: "A fox" }, { signal: closed })
  .catch((reason: unknown) => {
    console.log(`nothing was sent: ${reason}`);
  });
// #endregion before

// #region sending
const stop = new AbortController();
process.once("SIGINT", () => stop.abort("Ctrl+C"));
try {
  await media.video.generate(
    "vidmodelv2",
    { prompt: "A fox runs through snow" },
    { signal: stop.signal },
  );
} catch (error) {
  console.log(
    error instanceof OutcomeUnknownError
      ? "it had been sent: perhaps billed"
      : "it had not been sent",
  );
}
// #endregion sending

// #region wait
const task = await media.video.generate("vidmodelv2", {
  prompt: "A lighthouse at dusk",
});
await task.wait({ signal: AbortSignal.timeout(1) }).catch((reason: unknown) => {
  console.log(`the wait is over: ${reason}`);
});
console.log(`the task is not: ${(await task.wait()).url}`);
// #endregion wait

// #region delete
console.log(await task.delete());

const several = media.image.delete(["it-1", "it-2"], { uid: "user-17" });
console.log(await several.catch((error: unknown) => String(error)));
// #endregion delete
