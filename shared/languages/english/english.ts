import { DIGEST } from './digest.ts';
import { DIRECTORY } from './directory.ts';
import { OPERATION_TEXTS } from './operations.ts';
import { CLOSINGS, PAY_PERIODS, READINESS, SHEETS, STATEMENTS } from './pay-periods.ts';
import { ABSENCES, EFFECTS, FIELDS, LATENESS, SNAPSHOTS, TIMESHEETS } from './timesheets.ts';

/** What people call the source where the config has no name for it. */
const SERVICE = 'the workforce service';

/** Numbers, dates and lists within any text. Names of days and months are those of the locale. */
const FORMS = {
  hours: '{n} h',
  minutes: '{n} min',
  seconds: '{n} s',
  days: { one: '{n} day', other: '{n} days' },
  date: '{day} {month}',
  dateOfYear: '{day} {month} {year}',
  day: '{weekday} {date}',
  /** `10-16 Nov`, of which `{last}` is the date `16 Nov`. */
  datesOfMonth: '{day}-{last}',
  dates: '{first} - {last}',
  moment: '{day} {time}',
  at: 'at {time}',
  onDay: 'on {day}',
  onDayAt: 'on {day} at {time}',
  before: 'before {moment}',
  between: 'between {from} and {to}',
  onDayBetween: 'on {day} between {from} and {to}',
  yesterday: 'yesterday',
  and: '{first} and {last}',
  andMore: { other: '{first} and {n} more' },
  more: { other: '{n} more' },
  service: SERVICE,
  timesheets: { one: '{n} timesheet', other: '{n} timesheets' },
  employees: { one: '{n} employee', other: '{n} employees' },
} as const;

/** What stands around the sentences of a message, in each medium. */
const LAYOUT = {
  /** A link or a button. */
  open: 'Open',
  noTitle: 'Workforce alert',
  more: { other: '+ {n} more' },
  seen: 'Seen on {day} at {time} ({zone})',
  mail: {
    why: 'You receive this because your address is in the channel "{channel}" of {stack}.',
    stop: 'To stop it, use the link that AWS adds below, or ask for your address to be removed from notifier.config.ts.',
  },
} as const;

/** Every text of a message, one table for each family. A text that stands in no table is no part of a message. */
export const ENGLISH_TABLES = {
  forms: FORMS,
  timesheets: TIMESHEETS,
  fields: FIELDS,
  effects: EFFECTS,
  lateness: LATENESS,
  absences: ABSENCES,
  directory: DIRECTORY,
  payPeriods: PAY_PERIODS,
  closings: CLOSINGS,
  statements: STATEMENTS,
  sheets: SHEETS,
  readiness: READINESS,
  snapshots: SNAPSHOTS,
  operations: OPERATION_TEXTS,
  digest: DIGEST,
  layout: LAYOUT,
} as const;
