/** What people call the source where the config has no name for it. */
const SERVICE = 'the workforce service';

/** Numbers, dates and lists within any text. Names of days and months are those of the locale. */
export const FORMS = {
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
