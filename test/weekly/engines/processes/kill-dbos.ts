// Loaded before a program: kills it after its step has generated, before DBOS records the result of
// the step.
import { DBOS } from "@dbos-inc/dbos-sdk";
import { killOnce } from "./kill-once.ts";

const runStep = DBOS.runStep.bind(DBOS) as typeof DBOS.runStep;
DBOS.runStep = (step, config) =>
  runStep(async () => {
    const result = await step();
    if (config?.name === "generate") killOnce();
    return result;
  }, config);
