import { topicOf } from '../core/event-types.ts';
import type { Alert } from './alert.ts';
import { type ComposedMessage, composeMessages } from './digest/digest.ts';
import { findNewsOf, isNewsOfPeriod, toRecordKey } from './digest/record-order.ts';

/**
 * Messages for a bot, which can post in threads: one for each pay period, which belongs to its thread, and one digest of
 * the rest; urgent ones first. `sentAt`: as in `composeMessages`.
 */
export function composeThreads(alerts: readonly Alert[], sentAt?: number): ComposedMessage[] {
  const news = new Map(alerts.filter(isNewsOfPeriod).map((alert) => [toRecordKey(alert), findThread(alert)]));
  const groups = Map.groupBy(alerts, (alert) => findThread(alert) ?? findNewsOf(alert, news));
  const messages = [...groups].flatMap(([thread, group]) =>
    composeMessages(group, sentAt).map(({ message, alertIds }) => ({
      message: message === null || thread === null ? message : { ...message, thread },
      alertIds,
    })),
  );
  const urgency = ({ message }: ComposedMessage) => Number(message?.urgent === true);
  return messages.sort((a, b) => urgency(b) - urgency(a));
}

/** The pay period that an alert is about: `main#9013_1`. Null for one about several of them, or none. */
function findThread({ type, connection, subject, closedPeriods = [] }: Alert): string | null {
  const [id, another] = topicOf(type) === 'pay-periods' ? [subject] : closedPeriods;
  return id == null || another !== undefined ? null : `${connection}#${id}`;
}
