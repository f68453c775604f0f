import { planNextAttempt } from './attempt-schedule.ts';
import type { PendingDelivery } from './delivery-message.ts';
import { type EndpointAnswer, judgeAnswer } from './judge-answer.ts';

/** Longest delay of a message in SQS. */
const MAX_DELAY_SECONDS = 900;

/** What to do after an attempt. `reason`: the HTTP status, or why there was none. */
export type DeliveryDecision =
  | { readonly decision: 'delivered'; readonly attempts: number }
  | { readonly decision: 'retry'; readonly attempts: number; readonly reason: string; readonly dueAt: number }
  | { readonly decision: 'give_up'; readonly attempts: number; readonly reason: string }
  | { readonly decision: 'disable'; readonly attempts: number; readonly reason: string };

/** Decides what to do after an answer. `now`: the instant of the answer; `random`: from 0 up to 1. */
export function decideDelivery(
  delivery: Pick<PendingDelivery, 'attempt'>,
  answer: EndpointAnswer,
  { now, random }: { readonly now: number; readonly random: number },
): DeliveryDecision {
  const attempts = delivery.attempt + 1;
  const verdict = judgeAnswer(answer);
  switch (verdict.verdict) {
    case 'delivered':
      return { decision: 'delivered', attempts };
    case 'disabled':
      return { decision: 'disable', attempts, reason: verdict.reason };
    case 'failed': {
      const { reason, retryAfterMs } = verdict;
      const next = planNextAttempt({ attempts, now, retryAfterMs, random });
      return next.outcome === 'retry'
        ? { decision: 'retry', attempts, reason, dueAt: next.at }
        : { decision: 'give_up', attempts, reason };
    }
  }
}

/** Seconds to delay a message until an instant; at most 900, after which it is delayed again. */
export function computeDelaySeconds(instant: number, now: number): number {
  return Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil((instant - now) / 1_000)));
}
