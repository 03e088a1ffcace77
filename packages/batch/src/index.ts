export { runBatch } from "./run-batch.ts";
export type {
  BatchFile,
  BatchLine,
  BatchOptions,
  BatchPlan,
  BatchProgress,
  BatchSummary,
  StopReason,
} from "./options.ts";
