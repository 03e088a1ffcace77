/** The exit codes of the command, each with its meaning for the help and the guide. */
const table = {
  done: [0, "done"],
  failed: [1, "the task failed, the service rejected the request, or it could not be reached"],
  usage: [2, "wrong usage or input; nothing was sent"],
  credits: [3, "insufficient credits"],
  timeout: [4, "not finished in time; the task is not lost"],
  unknown: [5, "outcome unknown: a task may exist and may have been billed"],
  unsaved: [
    6,
    "the task exists, but its results were not saved or printed: download them again for free",
  ],
  interrupted: [130, "interrupted"],
} as const;

export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] =
  Object.values(table);

// The cast: it has the names of the table.
export const exitCodes = Object.fromEntries(
  Object.entries(table).map(([name, [code]]) => [name, code]),
) as {
  readonly [Name in keyof typeof table]: number;
};

/** The exit codes as the help prints them. */
export const exitCodesText: string = [
  "Exit codes:",
  ...exitCodeMeanings.map(([code, meaning]) => `${String(code).padStart(5)}  ${meaning}`),
].join("\n");
