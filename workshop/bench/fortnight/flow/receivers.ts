import { DELIVERY_BATCH_MS } from '../../bill/quantities.ts';

/** From SNS into a queue, and from it into a function that Lambda starts. */
const QUEUE_MS = 100;
/** Lambda hands so many messages to an invocation, and runs so many at once where an account allows ten executions. */
const BATCH_SIZE = 10;
const INVOCATIONS = 2;

/**
 * When a webhook that gets every event has accepted each. `handedOver`: instants at which SNS got them, the earliest
 * first. An invocation takes what has arrived, and ends when the receiver has answered for all of it.
 */
export function listWebhookAcceptances(handedOver: readonly number[]): number[] {
  const freeAt = Array.from({ length: INVOCATIONS }, () => 0);
  const accepted: number[] = [];
  while (accepted.length < handedOver.length) {
    const worker = freeAt.indexOf(Math.min(...freeAt));
    const arrivedAt = (handedOver[accepted.length] ?? 0) + QUEUE_MS;
    const startedAt = Math.max(arrivedAt, freeAt[worker] ?? 0);
    const waiting = handedOver.slice(accepted.length, accepted.length + BATCH_SIZE);
    const batch = waiting.filter((at) => at + QUEUE_MS <= startedAt);
    freeAt[worker] = startedAt + DELIVERY_BATCH_MS;
    accepted.push(...batch.map(() => startedAt + DELIVERY_BATCH_MS));
  }
  return accepted;
}
