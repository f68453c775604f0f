import { cleanText } from './clean-text.ts';
import { formatNumber } from './numbers.ts';
import { describePeriodOf } from './pay-period-sentences.ts';
import { type Audience, toTimeContext } from './record-events.ts';
import type { DescribableEvent } from './sentences.ts';
import { isTimesheetEvent, type TimesheetEvent } from './timesheet-sentences.ts';

/**
 * The parts of a sentence that stand out where a medium can show it: whom or what it is about, and what is left to do.
 * Texts of the sentence, in the order in which they occur there.
 */
export function findStrongParts(event: DescribableEvent, audience: Audience): string[] {
  if (isTimesheetEvent(event)) return [describeEmployee(event, audience)];
  switch (event.type) {
    case 'workforce.pay_period.created':
    case 'workforce.pay_period.changed':
    case 'workforce.pay_period.reopened':
    case 'workforce.pay_period.removed':
      return [describePeriod(event, audience)];
    case 'workforce.pay_period.closed':
      return [describePeriod(event, audience), ...listLeftovers(event.data.closeManifest)];
    case 'workforce.pay_period.statement':
      return [describePeriod(event, audience), ...listLeftovers(event.data.statement)];
    case 'workforce.pay_period.readiness': {
      const { unapproved, timesheets } = event.data.readiness;
      return [
        describePeriod(event, audience),
        ...(unapproved === 0 ? [] : [`${formatNumber(unapproved)} of ${formatNumber(timesheets)}`]),
      ];
    }
    case 'workforce.delivery.failed':
    case 'workforce.delivery.recovered':
    case 'workforce.webhook.disabled':
    case 'workforce.webhook.enabled':
      return [`webhook ${cleanText(event.data.webhook)}`];
    default:
      return [`connection ${cleanText(event.connection)}`];
  }
}

/** `Ana Lee`, or `employee 2001_4711` where names may not be shown. */
function describeEmployee({ data }: TimesheetEvent, { names }: Audience): string {
  const name = cleanText(names.employees.get(data.employeeId) ?? '');
  return name === '' ? `employee ${cleanText(data.employeeId)}` : name;
}

type PeriodEvent = Extract<DescribableEvent, { type: `workforce.pay_period.${string}` }>;

function describePeriod({ data, time }: PeriodEvent, { timeZone }: Audience): string {
  return describePeriodOf(data, toTimeContext(time, timeZone));
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
