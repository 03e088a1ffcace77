// #region client
import {
  ConnectionError,
  createMediaGen,
  InsufficientCreditsError,
  InvalidRequestError,
  OutcomeUnknownError,
  ServiceError,
  StoreError,
  TaskFailedError,
  WaitTimeoutError,
} from "@mediagen/sdk/node";

const media = createMediaGen({
  statuses: { failed: [3] }, // what you have seen at the service; 3 is the emulator's
});
// #endregion client

// #region generate
/** Returns what an error of a generation means for your money. */
function meaningOf(error: unknown): string {
  if (error instanceof InvalidRequestError) {
    return `not billed, nothing was sent: fix ${error.issues.map(({ field }) => field)}`;
  }
  if (error instanceof InsufficientCreditsError) return "not billed: add credits, then repeat the call";
  if (error instanceof ServiceError) return `not billed, the service rejected it: ${error.code} ${error.msg}`;
  if (error instanceof ConnectionError) return "not billed, nothing was sent: try again later";
  if (error instanceof StoreError) return "not billed, nothing was sent: fix the store";
  if (error instanceof OutcomeUnknownError) {
    return `perhaps billed: look for ${error.model} at ${new Date(error.at).toISOString()} in the service's console`;
  }
  throw error;
}

const prompt = process.argv[2] ?? "A fox runs through snow";
const task = await media.video.generate("vidmodelv2", { prompt }).catch((error: unknown) => {
  console.log(meaningOf(error));
  return undefined;
});
// #endregion generate

// #region wait
try {
  const record = await task?.wait({ waitTimeoutMs: 20_000 });
  if (record) console.log("billed, and finished:", record.url);
} catch (error) {
  if (error instanceof TaskFailedError) console.log("the task failed: whether it is billed is not documented");
  else if (error instanceof WaitTimeoutError) console.log("the task is not lost: wait for it again");
  else if (error instanceof ServiceError) console.log("the service rejects the queries: the task may exist");
  else throw error;
}
// #endregion wait
