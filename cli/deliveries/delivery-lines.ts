import { toIso } from '#shared/core/dates.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import type { FoundDelivery } from '#shared/operator/deliveries/find-deliveries.ts';
import { escapeUnprintable, table } from '#shared/terminal/output.ts';
import { formatLocalMoment } from '#shared/terminal/readable-value.ts';

const PREFIX = 'workforce.';
/** Reason in the ledger of an event that waits for an earlier one of its record. */
const BEHIND = 'order';
const UNTRIED = 'not yet tried';

/** One aligned line each: the event, the receiver unless there is only one, and what became of it. */
export function formatDeliveries(found: readonly FoundDelivery[], hasOneReceiver: boolean): string[] {
  return table(
    found.map(({ receiver, timeZone, eventId, type, record, committedAt, delivery }) => [
      formatLocalMoment(committedAt, timeZone),
      escapeUnprintable(type.replace(PREFIX, '')),
      escapeUnprintable(record ?? ''),
      escapeUnprintable(eventId),
      ...(hasOneReceiver ? [] : [receiver.label]),
      ...describeDelivery(delivery, timeZone).map(escapeUnprintable),
    ]),
  );
}

/** `failed`, and `10 attempts: 503, timeout, ...; last 2026-11-22 08:00:00`. */
function describeDelivery(delivery: Delivery | null, timeZone: string): [string, string] {
  if (delivery === null) return [UNTRIED, ''];
  const { outcome, at, attempts, detail, nextAt } = delivery;
  const moment = (instant: number) => formatLocalMoment(toIso(instant), timeZone);
  if (outcome === 'waiting' && attempts === 0) {
    const reason = detail === BEHIND ? 'for an earlier event of its record' : (detail ?? '');
    return [outcome, `${reason} since ${moment(at)}`.trim()];
  }
  const failures = listAnswers(delivery);
  const tries = attempts === 0 ? '' : `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const tried = [tries, failures.join(', ')].filter((part) => part !== '').join(': ');
  const last = outcome === 'delivered' ? moment(at) : `last ${moment(at)}`;
  const next = nextAt === undefined ? [] : [`next ${moment(nextAt)}`];
  // Of a message to people: which one the event was in.
  const remark = outcome === 'delivered' && detail !== null ? [detail] : [];
  return [outcome, [tried, last, ...remark, ...next].join('; ')];
}

/** What failed attempts were answered; of a message to people only the last. */
function listAnswers({ outcome, attempts, answers, detail }: Delivery): readonly string[] {
  if (answers !== undefined) return answers;
  const isUntried = outcome === 'waiting' && attempts === 0;
  return outcome === 'delivered' || isUntried || detail === null || detail === BEHIND ? [] : [detail];
}

/** One JSON object per delivery. `outcome` is `untried` while no attempt is known. */
export function formatDeliveryJson({
  receiver,
  connection,
  eventId,
  type,
  record,
  committedAt,
  delivery,
}: FoundDelivery): string {
  const { at, nextAt } = delivery ?? {};
  return JSON.stringify({
    receiver: receiver.label,
    eventId,
    type,
    record,
    connection,
    committedAt,
    outcome: delivery?.outcome ?? 'untried',
    attempts: delivery?.attempts ?? 0,
    answers: delivery === null ? [] : listAnswers(delivery),
    at: at === undefined ? null : toIso(at),
    nextAt: nextAt === undefined ? null : toIso(nextAt),
  });
}

/** `webhooks/payroll-system: 12 delivered, 2 waiting, 1 failed`, one line per receiver. */
export function summarizeDeliveries(found: readonly FoundDelivery[]): string[] {
  const byReceiver = Map.groupBy(found, ({ receiver }) => receiver.label);
  return [...byReceiver].map(([label, deliveries]) => {
    const counts = Map.groupBy(deliveries, ({ delivery }) => delivery?.outcome ?? UNTRIED);
    const parts = (['delivered', 'waiting', UNTRIED, 'failed'] as const).flatMap((outcome) => {
      const count = counts.get(outcome)?.length ?? 0;
      return count === 0 ? [] : [`${count} ${outcome}`];
    });
    return `${label}: ${parts.join(', ')}`;
  });
}

/**
 * What is held back although nothing is given up, one line per receiver: `webhooks/payroll-system: 58 waiting, last answered
 * secret_unreadable`. Empty when nothing is.
 */
export function summarizeHeldBack(found: readonly FoundDelivery[]): string[] {
  const held = found.filter(
    ({ delivery, receiver }) =>
      delivery?.outcome === 'waiting' && (delivery.attempts > 0 || receiver.interest === null),
  );
  return [...Map.groupBy(held, ({ receiver }) => receiver.label)].map(([label, deliveries]) => {
    const last = deliveries.flatMap(({ delivery }) =>
      delivery === null ? [] : listAnswers(delivery).slice(-1),
    );
    const answers = [...new Set(last)].map(escapeUnprintable).join(', ');
    const why = answers === '' ? 'in messages that are not known to be taken' : `last answered ${answers}`;
    return `${label}: ${deliveries.length} waiting, ${why}`;
  });
}
