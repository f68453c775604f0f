export const MINUTES_A_MONTH = 730 * 60;
export const SECONDS = 1_000;
export const GB_MB = 1_024;
export const LOG_GB = 1e9;

/** Bytes in the log of a poll: START, END and REPORT of Lambda, the outcome line, and a metric. */
export const POLL_LOG_BYTES = 1_600;
/** Milliseconds of an invocation that delivers a batch. */
export const DELIVERY_BATCH_MS = 500;
