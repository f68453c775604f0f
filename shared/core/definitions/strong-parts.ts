import { cleanText } from '../messages/clean-text.ts';
import { describePeriodOf } from '../messages/pay-period-sentences.ts';
import { type Audience, toTimeContext } from '../messages/record-events.ts';
import { isTimesheetEvent, type TimesheetEvent } from '../messages/timesheet-sentences.ts';
import { type DescribableEvent, isPayPeriodEvent, wordsOf } from './sentences.ts';

/**
 * The parts of a sentence that stand out where a medium can show it: whom or what it is about, and what is left to do.
 * Texts of the sentence, in the order in which they occur there.
 */
export function findStrongParts(event: DescribableEvent, audience: Audience): string[] {
  if (isTimesheetEvent(event)) return [describeEmployee(event, audience)];
  if (isPayPeriodEvent(event))
    return [
      describePeriodOf(event.data, toTimeContext(event.time, audience)),
      ...(wordsOf(event).open?.(event) ?? []),
    ];
  const { data, connection } = event;
  return 'webhook' in data && typeof data.webhook === 'string'
    ? [`webhook ${cleanText(data.webhook)}`]
    : [`connection ${cleanText(connection)}`];
}

/** `Ana Lee`, or `employee 2001_4711` where names may not be shown. */
function describeEmployee({ data }: TimesheetEvent, { names }: Audience): string {
  const name = cleanText(names.employees.get(data.employeeId) ?? '');
  return name === '' ? `employee ${cleanText(data.employeeId)}` : name;
}
