import { useState } from 'preact/hooks';
import type {
  ConnectionCoverage,
  CoverageAnswer,
  CoveredDate,
  DoctorAnswer,
  DoctorFinding,
} from '../../routes/coverage.ts';
import { api, toAddress } from '../data/api.ts';
import { companyNow, formatAge, formatDuration } from '../parts/clock.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { type Outcome, OutcomeMark } from '../parts/marks.tsx';
import { formatDate, Moment } from '../parts/moment.tsx';
import { Empty, OldNote, Waiting } from '../parts/notes.tsx';
import { useResource } from '../parts/resource.ts';
import { type Column, Table } from '../parts/table.tsx';
import { PollCharts } from './poll-charts.tsx';

const RELOAD_MS = 5_000;

/** Whether nothing is missed: each date, the polls, and what the doctor finds. */
export function CoverageScreen({ date }: { readonly date: string | null }) {
  const { value, error } = useResource({ key: 'coverage', load: api.coverage, everyMs: RELOAD_MS });
  return (
    <div class="screen coverage">
      <div class="heading">
        <h1>Coverage</h1>
        {value === null ? null : <p class="about">Read {formatAge(value.readAt)}</p>}
      </div>
      <OldNote error={value === null ? null : error} />
      {value === null ? <Waiting error={error} /> : null}
      {value === null ? null : <Dates answer={value} date={date} />}
      {value === null ? null : <PollCharts polls={value.polls} />}
      <Freshness />
      <Findings />
    </div>
  );
}

function Dates({ answer, date }: { readonly answer: CoverageAnswer; readonly date: string | null }) {
  const title = ({ connection }: ConnectionCoverage) =>
    answer.connections.length > 1 ? `Dates of ${connection}` : 'Dates';
  return (
    <>
      {answer.connections.map((each) => (
        <section key={each.connection} class="window" aria-label={title(each)}>
          <h2>{title(each)}</h2>
          {each.baselineAt === null ? (
            <Empty title="The baseline is being installed">
              <p>
                {each.dates.filter(({ completeAt }) => completeAt !== null).length} of {each.dates.length}{' '}
                dates were read completely; the dates around today come first.
              </p>
            </Empty>
          ) : null}
          <DateCalendar coverage={each} chosen={date} />
        </section>
      ))}
    </>
  );
}

const FRESHNESS_RELOAD_MS = 300_000;
const FRESHNESS_COLUMNS: readonly Column[] = [
  { name: 'To' },
  { name: 'Events', isNumber: true },
  { name: 'Half within', isNumber: true },
  { name: '99 in 100 within', isNumber: true },
  { name: 'Not there' },
];

/** How soon changes were published, and taken by each receiver. */
function Freshness() {
  const { value } = useResource({ key: 'freshness', load: api.freshness, everyMs: FRESHNESS_RELOAD_MS });
  if (value === null || value.places.length === 0) return null;
  return (
    <section class="freshness wide" aria-label="Freshness">
      <h2>How soon, in the last 24 hours</h2>
      <Table
        columns={FRESHNESS_COLUMNS}
        rows={value.places.map(({ to, events, p50, p99, waiting, lost }) => ({
          key: to,
          cells: [
            to,
            events.toLocaleString('en'),
            formatSeconds(p50),
            formatSeconds(p99),
            describeRest(waiting, lost),
          ],
        }))}
      />
    </section>
  );
}

function formatSeconds(seconds: number | null): string {
  return seconds === null ? 'never' : formatDuration(seconds * 1_000);
}

function describeRest(waiting: number, lost: number): string {
  const parts = [waiting === 0 ? '' : `${waiting} waiting`, lost === 0 ? '' : `${lost} given up`];
  return parts.filter(Boolean).join(', ');
}

const FINDINGS_RELOAD_MS = 60_000;
const MARKS: Readonly<Record<DoctorFinding['outcome'], Outcome>> = {
  ok: 'good',
  warning: 'wait',
  wrong: 'bad',
};
const RANK: readonly DoctorFinding['outcome'][] = ['wrong', 'warning', 'ok'];

/** What the doctor finds, with how to mend it. */
function Findings() {
  const [again, setAgain] = useState(0);
  const { value, error } = useResource({
    key: `doctor ${again}`,
    load: () => api.doctor(again > 0),
    everyMs: FINDINGS_RELOAD_MS,
  });
  return (
    <section class="findings">
      <div class="heading">
        <h2>Doctor</h2>
        {value === null ? null : <p class="about">Checked {formatAge(value.checkedAt)}</p>}
        <button type="button" class="quiet" onClick={() => setAgain(again + 1)}>
          Check again
        </button>
      </div>
      {value === null ? <Waiting error={error} doing="Checking" /> : <List answer={value} />}
    </section>
  );
}

function List({ answer: { findings } }: { readonly answer: DoctorAnswer }) {
  const sorted = findings.toSorted((a, b) => RANK.indexOf(a.outcome) - RANK.indexOf(b.outcome));
  const troubles = sorted.filter(({ outcome }) => outcome !== 'ok');
  const fine = sorted.filter(({ outcome }) => outcome === 'ok');
  return (
    <>
      {troubles.length === 0 ? <p class="fact">Nothing is wrong.</p> : null}
      <ul>
        {troubles.map((each) => (
          <Finding key={`${each.about} ${each.says}`} finding={each} />
        ))}
      </ul>
      <details>
        <summary>{fine.length === 1 ? '1 check is fine' : `${fine.length} checks are fine`}</summary>
        <ul>
          {fine.map((each) => (
            <Finding key={`${each.about} ${each.says}`} finding={each} />
          ))}
        </ul>
      </details>
    </>
  );
}

function Finding({ finding: { about, outcome, says, mend } }: { readonly finding: DoctorFinding }) {
  return (
    <li class="finding">
      <OutcomeMark outcome={MARKS[outcome]} />
      <div>
        <p>
          <strong>{about}</strong> {says}
        </p>
        {mend === null ? null : (
          <p class="mend">
            {mend} <CopyButton label="Copy" text={() => mend} />
          </p>
        )}
      </div>
    </li>
  );
}

const MINUTE_MS = 60_000;

interface Level {
  readonly name: string;
  readonly words: string;
  readonly maxAgeMs: number;
}

/** Ages of the last complete read; the bounds leave the cadences of the plan some room. */
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

/** The window as a calendar, each date by the age of its last complete read. */
function DateCalendar({ coverage, chosen }: DateCalendarProps) {
  const { dates, today } = coverage;
  const now = companyNow.value ?? Date.now();
  const found = dates.find(({ date }) => date === chosen);
  return (
    <div class="covered">
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
      <div>
        <p>{summarizeDates(dates, now)}</p>
        <Legend />
        {found === undefined ? null : <Chosen date={found} timeZone={coverage.timeZone} now={now} />}
        {found === undefined && chosen !== null ? <Outside date={chosen} dates={dates} /> : null}
      </div>
    </div>
  );
}

function Legend() {
  return (
    <ul class="legend" aria-label="Last complete read">
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
  const day = Number(date.date.slice(8));
  return (
    <li class={isToday ? 'today' : ''} style={column === null ? {} : { gridColumnStart: column }}>
      <a
        class={`cell ${level.name}`}
        data-line
        href={toAddress('/coverage', { date: isChosen ? undefined : date.date })}
        aria-current={isChosen ? 'true' : undefined}
      >
        <span class="day-number">
          {column !== null || date.date.endsWith('-01') ? formatDay(date.date) : day}
        </span>
        <span class="age">{age.replace(/ ago$/, '').replace('just ', '')}</span>
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
          'Never read completely. Its first complete read stores it.'
        ) : (
          <>
            Last read completely <Moment at={date.completeAt} timeZone={timeZone} form="moment" />,{' '}
            {describeAge(date, now)}. {date.timesheets.toLocaleString('en')}{' '}
            {date.timesheets === 1 ? 'timesheet' : 'timesheets'}, {date.unsettled.toLocaleString('en')} not
            processed.
          </>
        )}
      </p>
      {date.trouble === null ? null : <p class="old">{date.trouble.says}</p>}
    </div>
  );
}

/** Of a link to a date that is not watched any more, or not yet. */
function Outside({ date, dates }: { readonly date: string; readonly dates: readonly CoveredDate[] }) {
  const [from, to] = [dates[0], dates.at(-1)].map((each) => formatDate(each?.date ?? ''));
  return (
    <p class="old" role="status">
      {date} is outside of the window, which is from {from} to {to}: it is not read.
    </p>
  );
}

function findLevel({ completeAt, trouble }: CoveredDate, now: number): Level {
  if (trouble?.isSerious === true) return TROUBLE;
  if (completeAt === null) return NEVER;
  const age = now - Date.parse(completeAt);
  return LEVELS.find(({ maxAgeMs }) => age <= maxAgeMs) ?? NEVER;
}

function describeAge({ completeAt }: CoveredDate, now: number): string {
  if (completeAt === null) return 'never';
  const age = now - Date.parse(completeAt);
  return age < 1_000 ? 'just now' : `${formatDuration(age)} ago`;
}

/** Whether anything is missed, in a sentence. */
function summarizeDates(dates: readonly CoveredDate[], now: number): string {
  const count = (name: Level) => dates.filter((each) => findLevel(each, now) === name).length;
  const [troubled, never] = [count(TROUBLE), count(NEVER)];
  const oldest = dates.toSorted((a, b) => ((a.completeAt ?? '') < (b.completeAt ?? '') ? -1 : 1))[0];
  if (troubled > 0) return `${troubled} of ${dates.length} dates are in trouble. Choose one to see why.`;
  if (never > 0) return `${never} of ${dates.length} dates were never read completely.`;
  if (oldest === undefined) return 'The window has no date.';
  return `All ${dates.length} dates were read completely, the oldest ${describeAge(oldest, now)}.`;
}

/** `2026-11-06` as `6 Nov`. */
function formatDay(date: string): string {
  return formatDate(date).replace(/^\w+ /, '');
}

/** Monday is 1. */
function findColumn(date: string): number {
  return ((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7) + 1;
}
