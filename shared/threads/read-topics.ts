import type { Alert } from '../alerts/alert.ts';
import { ALERT_NEWS, ENDED_TROUBLES } from '../core/definitions/alert-news.ts';
import type { DescribableEvent } from '../core/definitions/sentences.ts';
import type { PublishedType } from '../core/event-types.ts';
import { isPerhapsLate, type LateData } from '../lateness/late-words.ts';

const TROUBLES: ReadonlySet<PublishedType | undefined> = new Set(Object.values(ENDED_TROUBLES));
/** Members of the data that tell troubles of one kind apart. */
const MEMBERS = ['feed', 'webhook', 'slice', 'recordId'] as const;

/** What a trouble, or the end of one, is about; nothing for any other event. */
export function readTrouble({ type, data }: DescribableEvent): Pick<Alert, 'trouble'> {
  const began = ENDED_TROUBLES[type] ?? (TROUBLES.has(type) ? type : undefined);
  if (began === undefined || ALERT_NEWS[began].hasNoThread === true) return {};
  const values = data as Readonly<Record<string, unknown>>;
  const item = MEMBERS.flatMap((member) => (typeof values[member] === 'string' ? [values[member]] : []));
  return { trouble: { type: began, item: item.join('/') } };
}

/** The closed pay periods that a change of a timesheet came after, or may have; nothing for any other event. */
export function readClosedPeriods({ data }: DescribableEvent): Pick<Alert, 'closedPeriods' | 'perhapsLate'> {
  const { late = [], closedPeriods } = data as Partial<LateData>;
  if (!Array.isArray(closedPeriods)) return {};
  return {
    closedPeriods: closedPeriods.flatMap((period) => (typeof period?.id === 'string' ? [period.id] : [])),
    ...(isPerhapsLate({ late, closedPeriods }) ? { perhapsLate: true } : {}),
  };
}
