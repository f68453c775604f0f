import { NO_NAMES } from '#shared/people/names/names.ts';
import { isTimesheetEvent, readableEventSchema } from '#shared/people/read-events.ts';
import { toTimesheetContext } from '#shared/people/timesheet-context.ts';
import { sayFacts } from '#shared/people/types/timesheets.ts';

/** `no clock-in, planned 08:00`; null for an event about anything else. */
export function describeAbsence(event: unknown, timeZone: string): string | null {
  const { data } = readableEventSchema.safeParse(event);
  if (data === undefined || !isTimesheetEvent(data) || !data.type.endsWith('_missing')) return null;
  return sayFacts(toTimesheetContext(data, { timeZone, names: NO_NAMES }));
}
