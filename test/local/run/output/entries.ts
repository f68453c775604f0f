import type { Entry } from '#local/run/output/entry.ts';
import { readEntry } from '#local/run/output/entry.ts';
import { toText } from '#shared/people/message.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import { readEventLine } from '#shared/terminal/event-line.ts';

export interface ShownEvent {
  readonly type?: string;
  readonly id: string;
  /** Time of day in UTC. */
  readonly at?: string;
  readonly date?: string;
  readonly employee?: string;
}

const TODAY = '2026-11-20';
/** When everything is told. */
const NOW = Date.parse(`${TODAY}T08:51:00Z`);
export const NAMES: Names = { ...NO_NAMES, employees: new Map([['1019_1', 'Ana Lee']]) };

/** An event as a run reads it from its topic, on that day of the company. Its words are these, whatever its type. */
export function showEvent(event: ShownEvent): Entry {
  const entry = readEntry(JSON.stringify(buildEvent(event)), { timeZone: 'UTC', now: NOW, names: NAMES });
  return entry.kind === 'event'
    ? { ...entry, counted: ['one', 'many'], words: [{ bold: 'Ana Lee' }, ': a change of 7.5 h from 08:30'] }
    : entry;
}

/** What a line says of an event that is told to somebody without names. */
export function wordsOf(event: ShownEvent, now: number): string {
  const line = readEventLine(JSON.stringify(buildEvent(event)), { timeZone: 'UTC', now, names: NO_NAMES });
  return toText(line?.words ?? []);
}

export function buildEvent({ type = 'timesheet.approved', id, ...event }: ShownEvent): object {
  const { at = '08:30:00', date = TODAY, employee = '1001_1' } = event;
  const instant = `${TODAY}T${at}.000Z`;
  return {
    ...{ specversion: '1.0', id: `event-${id}`, connection: 'main', epoch: instant, sequence: 1 },
    type: `workforce.${type}`,
    source: '/connections/main/timesheets',
    subject: id,
    time: instant,
    data: {
      ...{ timesheetId: id, employeeId: employee, departmentId: '201_1', organisationId: null },
      current: { date, approvedHours: instant, hoursToPay: 7.5 },
      previous: { approvedHours: null },
      changed: ['approvedHours'],
      observed: { after: null, by: instant },
      ...{ occurredAt: instant, collapsed: false },
      late: [],
    },
  };
}
