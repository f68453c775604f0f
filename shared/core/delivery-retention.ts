const DAY_MS = 86_400_000;
/** SQS keeps a message for up to 14 days. One that comes back from a queue or dead-letter queue must still be known. */
const MIN_RETENTION_DAYS = 14;

/** Milliseconds for which alerts and deliveries are remembered: as long as events, and at least as long as messages. */
export function computeDeliveryRetentionMs(retentionDays: number): number {
  return Math.max(retentionDays, MIN_RETENTION_DAYS) * DAY_MS;
}
