import { DIRECTORY_POLL_MINUTES } from '#shared/config/poll-times.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { DIRECTORY_FEEDS } from '#shared/core/feeds.ts';
import type { Usage } from '../prices.ts';
import { GB_MB, LOG_GB, MINUTES_A_MONTH, PAY_PERIOD_POLL_MS, POLL_LOG_BYTES, SECONDS } from './quantities.ts';

/** Units of a poll of the directory that finds nothing new, counted on an embedded DynamoDB among 2,000 employees. */
const DIRECTORY_POLL_UNITS = { read: 4, write: 3 };

/** What polls of employees and departments use besides, each of which takes as long as one of pay periods. */
export function countDirectoryUsage({ connections, poll }: NotifierConfig): Usage {
  if (!poll.directory) return {};
  const rounds = (connections.length * MINUTES_A_MONTH) / DIRECTORY_POLL_MINUTES;
  const polls = DIRECTORY_FEEDS.length * rounds;
  return {
    lambdaRequests: polls,
    lambdaGbSeconds: (poll.memoryMb / GB_MB) * polls * (PAY_PERIOD_POLL_MS / SECONDS),
    readUnits: polls * DIRECTORY_POLL_UNITS.read,
    writeUnits: polls * DIRECTORY_POLL_UNITS.write,
    logGb: (polls * POLL_LOG_BYTES) / LOG_GB,
    logStoredGb: (polls * POLL_LOG_BYTES) / LOG_GB,
  };
}
