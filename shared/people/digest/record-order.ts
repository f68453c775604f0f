import { topicOf } from '../../core/event-types.ts';
import { comparePositions } from '../../core/events/event-order.ts';
import type { Alert } from '../alert.ts';
import { ALERT_NEWS } from '../words/alert-news.ts';

/**
 * In the order of observation, but those of a record in the order of their events: of two polls with different clocks
 * the later one may say an earlier time. Alerts without a position keep their place.
 */
export function sortBySeen(alerts: readonly Alert[]): Alert[] {
  const seen = alerts.toSorted((left, right) => left.at - right.at);
  const byRecord = Map.groupBy(seen.filter(hasPosition), toRecordKey);
  const queues = new Map(
    [...byRecord].map(([record, own]) => [record, own.toSorted(compareByPosition).values()]),
  );
  return seen.map((alert) =>
    hasPosition(alert) ? (queues.get(toRecordKey(alert))?.next().value ?? alert) : alert,
  );
}

/** Pay periods by their deadlines, the closest first, then by name. All others keep their places. */
export function sortByDeadline<Each extends Alert>(alerts: readonly Each[]): Each[] {
  const sorted = alerts
    .filter(({ closing }) => closing !== undefined)
    .sort(compareByDeadline)
    .values();
  return alerts.map((alert) => (alert.closing === undefined ? alert : (sorted.next().value ?? alert)));
}

function compareByDeadline({ closing: left }: Alert, { closing: right }: Alert): number {
  const [leftAt, rightAt] = [left, right].map((closing) => closing?.at ?? Number.MAX_SAFE_INTEGER);
  return (leftAt ?? 0) - (rightAt ?? 0) || ((left?.name ?? '') < (right?.name ?? '') ? -1 : 1);
}

function hasPosition({ subject, sequence }: Alert): boolean {
  return subject !== null && sequence !== undefined;
}

export function toRecordKey({ connection, subject }: Pick<Alert, 'connection' | 'subject'>): string {
  return JSON.stringify([connection, subject]);
}

/** The keys of the pay periods that the timesheet of an alert belongs to. */
export function listPeriodKeys({ connection, periods = [] }: Alert): string[] {
  return periods.map((subject) => toRecordKey({ connection, subject }));
}

/** Of news by the keys of their pay periods, that with which an alert that waited is sent; null for none. */
export function findNewsOf<News>(alert: Alert, news: ReadonlyMap<string, News | null>): News | null {
  if (alert.waits === undefined) return null;
  const found = listPeriodKeys(alert)
    .map((key) => news.get(key))
    .find((each) => each != null);
  return found ?? null;
}

/** Whether it tells of a pay period itself, and not only how far that is. */
export function isNewsOfPeriod({ type, subject }: Alert): boolean {
  return subject !== null && topicOf(type) === 'pay-periods' && ALERT_NEWS[type].isDue !== true;
}

function compareByPosition(left: Alert, right: Alert): number {
  const toPosition = ({ epoch, sequence = 0 }: Alert) => ({ epoch, sequence });
  return comparePositions(toPosition(left), toPosition(right));
}
