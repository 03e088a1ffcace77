import {
  ConnectionError,
  createMediaGen,
  InsufficientCreditsError,
  InvalidRequestError,
  OutcomeUnknownError,
  ServiceError,
  TaskFailedError,
  WaitTimeoutError,
} from "@mediagen/sdk/node";

const media = createMediaGen({
  statuses: { failed: [3] }, // what you have seen at the service; 3 is the emulator's
});

// #region generate
/** What an error of a generation means for your money. */
function meaningOf(error: unknown): string {
  if (error instanceof InvalidRequestError) {
    return `not paid, nothing was sent: ${error.issues.map(({ field }) => field)} is wrong`;
  }
  if (error instanceof InsufficientCreditsError) return "not paid: add credits, then make the same call again";
  if (error instanceof ServiceError) return `not paid, the service refused: ${error.code} ${error.msg}`;
  if (error instanceof ConnectionError) return "not paid, the service was not reached: try again later";
  if (error instanceof OutcomeUnknownError) {
    return `perhaps paid: look at the service for ${error.model}, ${new Date(error.at).toISOString()}`;
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
  const record = await task?.wait({ timeoutMs: 5_000 });
  if (record) console.log("paid, and here it is:", record.url);
} catch (error) {
  if (error instanceof TaskFailedError) console.log("the task failed: whether that costs is not documented");
  else if (error instanceof WaitTimeoutError) console.log("nothing is lost: wait for the same task again");
  else if (error instanceof ServiceError) console.log("the queries are refused: the task may be there");
  else throw error;
}
// #endregion wait
