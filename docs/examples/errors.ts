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

const media = createMediaGen({ statuses: { failed: [3] } }); // what you have seen at the service; 3 is the emulator's

// #region generate
async function generate(prompt: string) {
  try {
    return await media.video.generate("vidmodelv2", { prompt });
  } catch (error) {
    if (error instanceof InvalidRequestError) console.log(`not paid, nothing was sent: ${error.issues.map(({ field }) => field)} is wrong`);
    else if (error instanceof InsufficientCreditsError) console.log("not paid: add credits, then make the same call again");
    else if (error instanceof ServiceError) console.log(`not paid, the service refused: ${error.code} ${error.msg}`);
    else if (error instanceof ConnectionError) console.log("not paid, the service was not reached: try again later");
    else if (error instanceof OutcomeUnknownError) console.log(`perhaps paid: look at the service for ${error.model}, ${new Date(error.at).toISOString()}`);
    else throw error;
    return undefined;
  }
}
// #endregion generate

// #region wait
const task = await generate(process.argv[2] ?? "A fox runs through snow");
try {
  const record = await task?.wait({ timeoutMs: 2_000 });
  if (record) console.log("paid, and here it is:", record.url);
} catch (error) {
  if (error instanceof TaskFailedError) console.log("the task failed: whether that costs is not documented");
  else if (error instanceof WaitTimeoutError) console.log("nothing is lost: wait for the same task again");
  else if (error instanceof ServiceError) console.log("the queries are refused: the task may be there all the same");
  else throw error;
}
// #endregion wait
