import type { ConnectionCoverage, CoveredDate } from '../../routes/coverage.ts';
import { toAddress } from '../data/api.ts';
import { companyNow, formatDuration } from '../parts/clock.ts';
import { formatDate, Moment } from '../parts/moment.tsx';

const MINUTE_MS = 60_000;

interface Level {
  readonly name: string;
  readonly words: string;
  readonly maxAgeMs: number;
}

/** Ages of the last complete look; the bounds leave the cadences of the plan some room. */
const LEVELS: readonly Level[] = [
  { name: 'fresh', words: 'up to 10 min ago', maxAgeMs: 10 * MINUTE_MS },
  { name: 'recent', words: 'up to 45 min', maxAgeMs: 45 * MINUTE_MS },
  { name: 'aging', words: 'up to 3 h', maxAgeMs: 180 * MINUTE_MS },
  { name: 'aged', words: 'longer ago', maxAgeMs: Number.POSITIVE_INFINITY },
];
const NEVER: Level = { name: 'never', words: 'never', maxAgeMs: 0 };
const TROUBLE: Level = { name: 'trouble', words: 'in trouble', maxAgeMs: 0 };

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

interface DateCalendarProps {
  readonly coverage: ConnectionCoverage;
  readonly chosen: string | null;
}

/** The window as a calendar, each date by the age of its last complete look. */
export function DateCalendar({ coverage, chosen }: DateCalendarProps) {
  const { dates, today } = coverage;
  const now = companyNow.value ?? Date.now();
  const found = dates.find(({ date }) => date === chosen);
  return (
    <>
      <Legend />
      <ol class="calendar">
        {WEEKDAYS.map((name) => (
          <li key={name} class="weekday" aria-hidden="true">
            {name}
          </li>
        ))}
        {dates.map((each, index) => (
          <Cell
            key={each.date}
            date={each}
            now={now}
            isToday={each.date === today}
            isChosen={each.date === chosen}
            column={index === 0 ? findColumn(each.date) : null}
          />
        ))}
      </ol>
      {found === undefined ? null : <Chosen date={found} timeZone={coverage.timeZone} now={now} />}
    </>
  );
}

function Legend() {
  return (
    <ul class="legend" aria-label="Last complete look">
      {[...LEVELS, NEVER, TROUBLE].map(({ name, words }) => (
        <li key={name}>
          <span class={`swatch ${name}`} aria-hidden="true" /> {words}
        </li>
      ))}
    </ul>
  );
}

interface CellProps {
  readonly date: CoveredDate;
  readonly now: number;
  readonly isToday: boolean;
  readonly isChosen: boolean;
  /** Of the first date, from 1. */
  readonly column: number | null;
}

function Cell({ date, now, isToday, isChosen, column }: CellProps) {
  const level = findLevel(date, now);
  const age = describeAge(date, now);
  return (
    <li class={isToday ? 'today' : ''} style={column === null ? {} : { gridColumnStart: column }}>
      <a
        class={`cell ${level.name}`}
        data-line
        href={toAddress('/coverage', { date: isChosen ? undefined : date.date })}
        aria-current={isChosen ? 'true' : undefined}
      >
        <span class="day-number">{Number(date.date.slice(8))}</span>
        <span class="age">{age.replace(' ago', '')}</span>
        <span class="unseen">
          , {formatDate(date.date)}
          {isToday ? ', today' : ''}, {date.timesheets} timesheets
        </span>
      </a>
    </li>
  );
}

function Chosen({
  date,
  timeZone,
  now,
}: {
  readonly date: CoveredDate;
  readonly timeZone: string;
  readonly now: number;
}) {
  return (
    <div class="chosen-date" role="status">
      <h3>{formatDate(date.date)}</h3>
      <p>
        {date.completeAt === null ? (
          'Never read completely. Its first complete look stores it.'
        ) : (
          <>
            Last complete look <Moment at={date.completeAt} timeZone={timeZone} form="moment" />,{' '}
            {describeAge(date, now)}. {date.timesheets.toLocaleString('en')}{' '}
            {date.timesheets === 1 ? 'timesheet' : 'timesheets'}, {date.unsettled.toLocaleString('en')} not
            processed.
          </>
        )}
      </p>
      {date.trouble === null ? null : <p class="old">{date.trouble}</p>}
    </div>
  );
}

function findLevel({ completeAt, trouble }: CoveredDate, now: number): Level {
  if (trouble !== null && !trouble.startsWith('its last look')) return TROUBLE;
  if (completeAt === null) return NEVER;
  const age = now - Date.parse(completeAt);
  return LEVELS.find(({ maxAgeMs }) => age <= maxAgeMs) ?? NEVER;
}

function describeAge({ completeAt }: CoveredDate, now: number): string {
  return completeAt === null ? 'never' : `${formatDuration(now - Date.parse(completeAt))} ago`;
}

/** Monday is 1. */
function findColumn(date: string): number {
  return ((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7) + 1;
}
