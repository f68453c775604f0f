import { readText } from '../event-state.ts';
import type { Group } from '../groups.ts';
import { bold, type Line, type Spans, toText } from '../message.ts';
import { formatCount } from '../messages/numbers.ts';
import { isTimesheetEvent, type TimesheetEvent } from '../read-events.ts';
import { CLOCKING_NAMES, type Clocking, nameTimesheet, toTimesheetContext } from '../timesheet-context.ts';
import { sayHeading as headingOf } from '../types/all.ts';
import { sayFacts, sayTimesheet } from '../types/timesheets.ts';
import { type MessageReader, type Rendered, urlOfTimesheet } from './rendered.ts';

const MISSING = { clockIn: 'clockInMissing', clockOut: 'clockOutMissing' } as const;

interface Clockings {
  readonly event: TimesheetEvent;
  readonly clocking: Clocking;
  readonly isMissing: boolean;
}

/** Who has not clocked, all in one message, and how what was told before ended. */
export function renderClockings(group: Group, reader: MessageReader): Rendered | null {
  const sheets = group.events.flatMap(({ event }) =>
    event !== null && isTimesheetEvent(event) ? [event] : [],
  );
  const all = [...Map.groupBy(sheets, ({ data }) => data.timesheetId).values()].flatMap(readClockings);
  const [missing, ended] = [all.filter((each) => each.isMissing), all.filter((each) => !each.isMissing)];
  const [only] = all;
  if (only === undefined) return null;
  const lines = [...missing, ...ended].map((each) => toLine(each, group.connection, reader));
  if (all.length > 1) return { heading: sayHeading(missing, ended), lines };
  return {
    heading: only.isMissing ? headingOf(only.event, reader) : toText(sayEnd(only, reader)),
    lines: [{ spans: [only.isMissing ? sayWhere(only.event, reader) : 'Nothing to do.'] }],
    url: lines[0]?.url,
  };
}

/** `Front Desk, Mon 2 Nov.`: whose it is stands above. */
function sayWhere(event: TimesheetEvent, reader: MessageReader): string {
  const [, ...rest] = nameTimesheet(toTimesheetContext(event, reader)).split(', ');
  return `${rest.join(', ')}.`;
}

/** Of a timesheet what is missing now, and what was and is no more: nothing of what came and ended untold. */
function readClockings(events: readonly TimesheetEvent[]): Clockings[] {
  return (['clockIn', 'clockOut'] as const).flatMap((clocking) => {
    const field = MISSING[clocking];
    // A removal changes no fields: it ends them all.
    const own = events.filter(({ data }) => data.changed.includes(field) || data.current === null);
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) return [];
    const was = readText(first.data.previous, field) !== null;
    const isMissing = readText(last.data.current, field) !== null;
    return was === isMissing ? [] : [{ event: last, clocking, isMissing }];
  });
}

function toLine(clockings: Clockings, connection: string, reader: MessageReader): Line {
  const { event, isMissing } = clockings;
  return {
    spans: isMissing ? sayTimesheet(event, reader) : sayEnd(clockings, reader),
    url: urlOfTimesheet(event.data, connection, reader),
  };
}

/** `Gray Example 23, Mon 2 Nov: approved without a clock-out`, `clocked in at 08:20`. */
function sayEnd({ event, clocking }: Clockings, reader: MessageReader): Spans {
  const context = toTimesheetContext(event, reader);
  const { type } = event;
  const without = ` without a ${CLOCKING_NAMES[clocking]}`;
  const isStamp = /\.(?:approved|payroll_approved|processed)$/.test(type);
  const said = isStamp ? `${ACTS[type] ?? 'approved'}${without}` : sayFacts(context);
  const isOther = type.endsWith('.changed');
  const expected = isOther ? `, no ${CLOCKING_NAMES[clocking]} expected any more` : '';
  return [bold(nameTimesheet(context)), `: ${said}${expected}`];
}

const ACTS: Readonly<Record<string, string>> = {
  'workforce.timesheet.payroll_approved': 'approved for payroll',
  'workforce.timesheet.processed': 'processed',
};

/** `3 clock-ins missing, 1 clock-out missing`; of those that ended alone, `2 clockings are no longer missing`. */
function sayHeading(missing: readonly Clockings[], ended: readonly Clockings[]): string {
  if (missing.length === 0) return `${formatCount(ended.length, 'clocking')} no longer missing`;
  return (['clockIn', 'clockOut'] as const)
    .flatMap((clocking) => {
      const { length } = missing.filter((each) => each.clocking === clocking);
      return length === 0 ? [] : [`${formatCount(length, CLOCKING_NAMES[clocking])} missing`];
    })
    .join(', ');
}
