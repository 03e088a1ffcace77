/** The codes that the command ends with. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  credits: 3,
  timeout: 4,
  unknown: 5,
  interrupted: 130,
} as const;

/** What each of them means: the help and the guide say it in these words. */
export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.done, "done"],
  [exitCodes.failed, "the task failed, the service refused, or it was not reached"],
  [exitCodes.usage, "wrong usage or input; nothing was sent"],
  [exitCodes.credits, "insufficient credits"],
  [exitCodes.timeout, "not finished in time; the task is not lost"],
  [exitCodes.unknown, "outcome unknown: a task may exist and may have been paid"],
  [exitCodes.interrupted, "interrupted"],
];

/** The codes as the help tells them. */
export const exitCodesText: string = [
  "Exit codes:",
  ...exitCodeMeanings.map(([code, meaning]) => `${String(code).padStart(5)}  ${meaning}`),
].join("\n");
