import { cleanText } from '../messages/clean-text.ts';
import { formatNumber } from '../messages/numbers.ts';
import { describePeriodOf } from '../messages/pay-period-sentences.ts';
import { type Audience, toTimeContext } from '../messages/record-events.ts';
import { isTimesheetEvent, type TimesheetEvent } from '../messages/timesheet-sentences.ts';
import type { DescribableEvent } from './sentences.ts';

/**
 * The parts of a sentence that stand out where a medium can show it: whom or what it is about, and what is left to do.
 * Texts of the sentence, in the order in which they occur there.
 */
export function findStrongParts(event: DescribableEvent, audience: Audience): string[] {
  if (isTimesheetEvent(event)) return [describeEmployee(event, audience)];
  if (isPayPeriodEvent(event)) return [describePeriod(event, audience), ...listOpen(event)];
  const { data, connection } = event;
  return 'webhook' in data && typeof data.webhook === 'string'
    ? [`webhook ${cleanText(data.webhook)}`]
    : [`connection ${cleanText(connection)}`];
}

type PeriodEvent = Extract<DescribableEvent, { type: `workforce.pay_period.${string}` }>;

function isPayPeriodEvent(event: DescribableEvent): event is PeriodEvent {
  return event.type.startsWith('workforce.pay_period.');
}

/** What is left to do. */
function listOpen(event: PeriodEvent): string[] {
  switch (event.type) {
    case 'workforce.pay_period.closed':
      return listLeftovers(event.data.closeManifest);
    case 'workforce.pay_period.statement':
      return listLeftovers(event.data.statement);
    case 'workforce.pay_period.readiness': {
      const { unapproved, timesheets } = event.data.readiness;
      return unapproved === 0 ? [] : [`${formatNumber(unapproved)} of ${formatNumber(timesheets)}`];
    }
    default:
      return [];
  }
}

/** `Ana Lee`, or `employee 2001_4711` where names may not be shown. */
function describeEmployee({ data }: TimesheetEvent, { names }: Audience): string {
  const name = cleanText(names.employees.get(data.employeeId) ?? '');
  return name === '' ? `employee ${cleanText(data.employeeId)}` : name;
}

function describePeriod({ data, time }: PeriodEvent, audience: Audience): string {
  return describePeriodOf(data, toTimeContext(time, audience));
}

function listLeftovers(
  counts: { readonly unapproved: number; readonly unprocessed: number } | undefined,
): string[] {
  const { unapproved, unprocessed } = counts ?? { unapproved: 0, unprocessed: 0 };
  return [
    ...(unapproved === 0 ? [] : [`${formatNumber(unapproved)} not approved`]),
    ...(unprocessed === 0 ? [] : [`${formatNumber(unprocessed)} not processed`]),
  ];
}
