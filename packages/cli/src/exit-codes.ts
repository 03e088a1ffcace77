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

/** The codes as the help tells them. */
export const exitCodesText: string = `Exit codes: ${exitCodes.done} done, ${exitCodes.failed} failed, ${exitCodes.usage} wrong usage or input, ${exitCodes.credits} insufficient credits,
${exitCodes.timeout} not finished in time, ${exitCodes.unknown} outcome unknown (a task may exist and may have been paid), ${exitCodes.interrupted} interrupted.`;
