export { type BatchDefaults, type KeyedBatchTask, readBatchLine } from "../../fleet/batch/batch-line.ts";
export { type BatchCounts, feedBatch } from "../../fleet/batch/feed-batch.ts";
