import type { Arrivals } from '../notifiers/notifier.ts';
import { CONNECTIONS, SUMMARY_AT } from '../world/everything.ts';
import { expectSame, expectText, parseEvent } from './expectations.ts';
import { ALL } from './living.ts';

const READINESS = 'workforce.pay_period.readiness';
const MISSING = 'workforce.timesheet.clock_in_missing';
/** Of the calendars of `main`. */
const REMINDERS = ['1h', '2h'];

/** What channels say of it. */
const SENTENCES: readonly (readonly [place: string, sentence: RegExp])[] = [
  [
    'slack payroll',
    /Pay period Fortnightly \S+ \w+ closes at 12:30 \(in 45 min\): 1 of \d+ timesheets is not/,
  ],
  // In its thread, with the reminder that began it.
  ['slack payroll', /"thread":"main: Pay period Fortnightly .*Pay period Fortnightly .* closed/],
  ['slack payroll', /"method":"chat.update","replaces":"main: Pay period Fortnightly/],
  ['mail accounts@acme.example payroll@acme.example', /closes at 12:30 \(in 45 min\)/],
  ['teams board', /pay periods with timesheets to approve/],
  ['slack night-watch', /no clock-in, planned 08:30/],
  ['slack night-watch', /clocked in at 09:00 after all, planned 08:30/],
];

/**
 * What the config asks for and only time brings about on the first day: reminders of deadlines, a daily summary of each
 * connection, and a clock-in that is missing until it comes.
 */
export function checkToldByTime(arrived: Arrivals): string {
  const all = [...new Set(arrived.get(ALL) ?? [])];
  const of = (type: string) => all.filter((text) => parseEvent(text).type === type);
  const readiness = of(READINESS).map(readReadiness);
  const reminders = readiness.flatMap(({ reminder }) => reminder?.before ?? []);
  expectSame(reminders, REMINDERS, 'reminders');
  const summarized = readiness.filter(({ summaries }) => summaries.includes(SUMMARY_AT));
  expectSame(
    summarized.map(({ connection }) => connection),
    CONNECTIONS,
    'connections with a daily summary',
  );
  const missing = of(MISSING).map(parseEvent);
  const cleared = of(`${MISSING}_cleared`).map(parseEvent);
  if (missing.length === 0) throw new Error('no clock-in was missing');
  const ended = missing.filter(({ source, subject }) =>
    cleared.some((other) => other.source === source && other.subject === subject),
  );
  if (ended.length === 0) throw new Error('no missing clock-in came');
  for (const [place, sentence] of SENTENCES)
    expectText((arrived.get(place) ?? []).join('\n'), sentence, place);
  return `${reminders.length} reminders, ${summarized.length} daily summaries, clock-ins missing: ${missing.length}, of which came: ${ended.length}`;
}

interface ReadinessEvent {
  readonly connection: string;
  readonly reminder: { readonly before: string } | null;
  readonly summaries: readonly string[];
}

function readReadiness(text: string): ReadinessEvent {
  const { connection, data } = JSON.parse(text) as {
    readonly connection: string;
    readonly data: Omit<ReadinessEvent, 'connection'>;
  };
  return { ...data, connection };
}
