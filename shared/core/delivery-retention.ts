/** The longest that SQS keeps a message: one may come back from a queue or a dead-letter queue for so long. */
export const QUEUE_RETENTION_DAYS = 14;

const DAY_MS = 86_400_000;

/** Milliseconds for which alerts and deliveries are remembered: as long as events, and at least as long as messages. */
export function computeDeliveryRetentionMs(retentionDays: number): number {
  return Math.max(retentionDays, QUEUE_RETENTION_DAYS) * DAY_MS;
}
