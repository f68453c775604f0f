import type { Entry } from '#local/run/terminal/entry.ts';
import { readEntry } from '#local/run/terminal/entry.ts';

export interface ShownEvent {
  readonly type?: string;
  readonly id: string;
  /** Time of day in UTC. */
  readonly at?: string;
  readonly date?: string;
  readonly department?: string;
  readonly employee?: string;
  readonly late?: boolean;
}

const TODAY = '2026-11-20';

/** An event as a run reads it from its topic, on that day of the company. */
export function showEvent(event: ShownEvent): Entry {
  return readEntry(JSON.stringify(buildEvent(event)), { timeZone: 'UTC', today: TODAY });
}

export function buildEvent({ type = 'timesheet.approved', id, ...event }: ShownEvent): object {
  const { at = '08:30:00', date = TODAY, department = '201_1', employee = '1001_1', late = false } = event;
  const instant = `${date}T${at}.000Z`;
  return {
    type: `workforce.${type}`,
    source: '/connections/main/timesheets',
    subject: id,
    time: instant,
    data: {
      departmentId: department,
      employeeId: employee,
      current: { date, approvedHours: instant },
      previous: { approvedHours: null },
      changed: ['approvedHours'],
      occurredAt: instant,
      late: late ? ['close'] : [],
    },
  };
}
