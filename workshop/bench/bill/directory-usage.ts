import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { DIRECTORY_FEEDS } from '#shared/core/feeds.ts';
import type { Usage } from '../prices.ts';

export const MINUTES_A_MONTH = 730 * 60;
export const SECONDS = 1_000;
export const GB_MB = 1_024;
export const LOG_GB = 1e9;

/** Milliseconds of a poll of a list that comes whole, with 5 ms for each request to AWS in a row. */
export const PAY_PERIOD_POLL_MS = 315;
/** Bytes in the log of a poll: START, END and REPORT of Lambda, the outcome line, and a metric. */
export const POLL_LOG_BYTES = 1_600;
/** Units of a poll of the directory that finds nothing new, counted on an embedded DynamoDB among 2,000 employees. */
const DIRECTORY_POLL_UNITS = { read: 4, write: 3 };

/** What polls of employees and departments use besides, each of which takes as long as one of pay periods. */
export function countDirectoryUsage({ connections, schedules, functions }: NotifierConfig): Usage {
  if (schedules.directory === undefined) return {};
  const rounds = (connections.length * MINUTES_A_MONTH) / schedules.directory.everyMinutes;
  const polls = DIRECTORY_FEEDS.length * rounds;
  return {
    lambdaRequests: polls,
    lambdaGbSeconds: (functions.memoryMb / GB_MB) * polls * (PAY_PERIOD_POLL_MS / SECONDS),
    readUnits: polls * DIRECTORY_POLL_UNITS.read,
    writeUnits: polls * DIRECTORY_POLL_UNITS.write,
    logGb: (polls * POLL_LOG_BYTES) / LOG_GB,
    logStoredGb: (polls * POLL_LOG_BYTES) / LOG_GB,
  };
}
