// #region client
import { createMediaGen, MediaGenError } from "@mediagen/sdk/node";

const media = createMediaGen({
  // what you have seen at the service; 3 is the emulator's
  statuses: { failed: [3] },
});
// #endregion client

// #region generate
/** Returns what an error of a generation means for your money, and what to do. */
function meaningOf(error: unknown): string {
  if (!(error instanceof MediaGenError)) throw error;
  if (error.billed !== "no") return `perhaps billed: ${error.message}`;
  return `not billed${error.isRetryable ? ", try again later" : ""}: ${error.message}`;
}

const prompt = process.argv[2] ?? "A fox runs through snow";
const task = await media.video
  .generate("vidmodelv2", { prompt })
  .catch((error: unknown) => {
    console.log(meaningOf(error));
    return undefined;
  });
// #endregion generate

// #region wait
try {
  const record = await task?.wait({ waitTimeoutMs: 20_000 });
  if (record) console.log("billed, and finished:", record.url);
} catch (error) {
  if (!(error instanceof MediaGenError)) throw error;
  console.log(`billed${error.isRetryable ? ", wait again" : ""}: ${error.message}`);
}
// #endregion wait
