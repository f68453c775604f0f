/** The longest that SQS keeps a message: one may come back from a dead-letter queue for so long. */
export const QUEUE_RETENTION_DAYS = 14;

const MIN_RETENTION_MS = QUEUE_RETENTION_DAYS * 86_400_000;

/** How long a delivery is remembered when events are kept for `retentionMs`: at least while its message may come back. */
export function computeDeliveryRetention(retentionMs: number): number {
  return Math.max(retentionMs, MIN_RETENTION_MS);
}
