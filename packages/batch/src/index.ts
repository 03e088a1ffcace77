export { planBatch, runBatch } from "./run-batch.ts";
export type {
  BatchFile,
  BatchLine,
  BatchOptions,
  BatchPlan,
  BatchProgress,
  BatchSummary,
  PlannedModel,
  StopReason,
} from "./options.ts";
