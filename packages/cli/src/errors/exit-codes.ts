/** The exit codes of the command. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  credits: 3,
  timeout: 4,
  unknown: 5,
  unsaved: 6,
  interrupted: 130,
} as const;

/** The meaning of each exit code, for the help and the guide. */
export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.done, "done"],
  [exitCodes.failed, "the task failed, the service rejected the request, or it could not be reached"],
  [exitCodes.usage, "wrong usage or input; nothing was sent"],
  [exitCodes.credits, "insufficient credits"],
  [exitCodes.timeout, "not finished in time; the task is not lost"],
  [exitCodes.unknown, "outcome unknown: a task may exist and may have been billed"],
  [exitCodes.unsaved, "the task exists, but its results were not saved or printed: download them again for free"],
  [exitCodes.interrupted, "interrupted"],
];

/** The exit codes as the help prints them. */
export const exitCodesText: string = [
  "Exit codes:",
  ...exitCodeMeanings.map(([code, meaning]) => `${String(code).padStart(5)}  ${meaning}`),
].join("\n");
