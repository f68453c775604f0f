import type { PersonAnswer, PersonChange, PersonTimesheet } from '../../routes/person.ts';
import { api, toAddress } from '../data/api.ts';
import { toPeriodAddress, toRecordAddress } from '../data/location.ts';
import { LateTag } from '../live/rows.tsx';
import { findWords } from '../live/words.ts';
import { KindMark, OutcomeMark } from '../parts/marks.tsx';
import { formatDate, formatInstant, Moment, toDate } from '../parts/moment.tsx';
import { Empty, OldNote, Waiting } from '../parts/notes.tsx';
import { useResource } from '../parts/resource.ts';
import { Told } from '../parts/told.tsx';

const RELOAD_MS = 20_000;

/** What happened to the timesheets of a person, and who heard of it. `path`: connection and id. */
export function PersonScreen({ path }: { readonly path: string }) {
  const [, connection = '', id = ''] = /^([^/]*)\/(.*)$/s.exec(path) ?? [];
  const { value, error } = useResource({
    key: path,
    load: () => api.person({ id, connection }),
    everyMs: RELOAD_MS,
    followsEvents: true,
  });
  return (
    <div class="screen person">
      <div class="heading">
        <h1>{value?.name ?? id}</h1>
        {value === null || value.name === null ? null : <p class="about">Employee {id}</p>}
      </div>
      <OldNote error={value === null ? null : error} />
      {value === null ? <Waiting error={error} doing="Reading the timesheets" /> : null}
      {value === null ? null : <Shown answer={value} connection={connection} />}
    </div>
  );
}

interface ShownProps {
  readonly answer: PersonAnswer;
  readonly connection: string;
}

function Shown({ answer, connection }: ShownProps) {
  const { from, to, since, timeZone, periods, timesheets } = answer;
  const days = listDays(answer);
  const today = toDate(answer.readAt, timeZone);
  const ahead = days.filter(({ date, changes }) => date > today && changes.length === 0);
  const draw = (day: Day) => <DayItem key={day.date} day={day} connection={connection} timeZone={timeZone} />;
  return (
    <>
      <ul class="sums">
        {periods.map((period) => (
          <PeriodSum key={period.id} period={period} timesheets={timesheets} connection={connection} />
        ))}
      </ul>
      {days.length === 0 ? (
        <Empty title={`No timesheet from ${formatDate(from)} to ${formatDate(to)}`}>
          <p>A timesheet appears here when its date comes into the window that is watched.</p>
        </Empty>
      ) : null}
      {ahead.length > 0 ? (
        <details>
          <summary>
            {ahead.length} {ahead.length === 1 ? 'day' : 'days'} ahead
          </summary>
          <ol>{ahead.map(draw)}</ol>
        </details>
      ) : null}
      <ol>{days.filter((day) => !ahead.includes(day)).map(draw)}</ol>
      <p class="end">
        Timesheets from {formatDate(from)} to {formatDate(to)}, changes since{' '}
        {formatInstant(since, timeZone, 'moment')}. What is older is on the page of its timesheet. Where
        nobody is named, nobody was to be told.
      </p>
    </>
  );
}

interface Day {
  readonly date: string;
  readonly timesheets: readonly PersonTimesheet[];
  readonly changes: readonly PersonChange[];
}

/** Days with a timesheet or a change, latest first. */
function listDays({ timesheets, changes }: PersonAnswer): Day[] {
  const dates = new Set([...timesheets, ...changes].map(({ date }) => date ?? ''));
  return [...dates]
    .sort((a, b) => (a < b ? 1 : -1))
    .map((date) => ({
      date,
      timesheets: timesheets.filter((each) => (each.date ?? '') === date),
      changes: changes.filter((each) => (each.date ?? '') === date),
    }));
}

interface PeriodSumProps {
  readonly period: PersonAnswer['periods'][number];
  readonly timesheets: readonly PersonTimesheet[];
  readonly connection: string;
}

function PeriodSum({
  period: { id, calendar, startDate, finishDate, closed },
  timesheets,
  connection,
}: PeriodSumProps) {
  const own = timesheets.filter(({ payPeriods }) => payPeriods.includes(id));
  const hours = own.reduce((sum, each) => sum + each.hours, 0);
  const count = (isSo: (each: PersonTimesheet) => boolean) => own.filter(isSo).length;
  return (
    <li>
      <a href={toPeriodAddress(id, connection)}>
        {calendar} {formatDate(startDate)} to {formatDate(finishDate)}
      </a>
      <span class="label">{closed ? 'closed' : 'open'}</span>
      <span class="number">{hours.toLocaleString('en', { maximumFractionDigits: 2 })} h</span>
      <span class="label">
        {own.length} {own.length === 1 ? 'timesheet' : 'timesheets'}, {count(({ approved }) => approved)}{' '}
        approved, {count(({ processed }) => processed)} processed
      </span>
    </li>
  );
}

interface DayItemProps {
  readonly day: Day;
  readonly connection: string;
  readonly timeZone: string;
}

function DayItem({ day: { date, timesheets, changes }, connection, timeZone }: DayItemProps) {
  return (
    <li class="person-day">
      <h2>{date === '' ? 'Without a date' : formatDate(date)}</h2>
      {timesheets.length === 0 ? <p class="label">No timesheet is stored for this day now.</p> : null}
      {timesheets.map((each) => (
        <TimesheetLine key={each.id} timesheet={each} connection={connection} />
      ))}
      <ol class="changes-of-day">
        {changes.map((each) => (
          <ChangeItem key={each.key} change={each} isOfSeveral={timesheets.length > 1} timeZone={timeZone} />
        ))}
      </ol>
    </li>
  );
}

interface TimesheetLineProps {
  readonly timesheet: PersonTimesheet;
  readonly connection: string;
}

function TimesheetLine({ timesheet, connection }: TimesheetLineProps) {
  const { id, hours, department, departmentId, approved, payrollApproved, processed } = timesheet;
  const facts = [
    approved ? 'approved' : 'not approved',
    ...(payrollApproved ? ['approved for payroll'] : []),
    ...(processed ? ['processed'] : []),
  ];
  return (
    <p class="timesheet">
      <a href={toRecordAddress(id, connection)} data-line>
        {id}
      </a>
      <span class="number">{hours} h</span>
      <span>{department ?? departmentId ?? 'No department'}</span>
      <span>
        <OutcomeMark outcome={approved ? 'good' : processed ? 'wait' : 'none'} /> {facts.join(', ')}
      </span>
    </p>
  );
}

interface ChangeItemProps {
  readonly change: PersonChange;
  /** The day has another timesheet. */
  readonly isOfSeveral: boolean;
  readonly timeZone: string;
}

function ChangeItem({ change, isOfSeveral, timeZone }: ChangeItemProps) {
  const { id, type, record, connection, seenAt, says, late, receivers } = change;
  const { mark, tone } = findWords(type);
  return (
    <li>
      <Moment at={seenAt} timeZone={timeZone} form="moment" />
      <KindMark mark={mark} tone={tone} />
      <div>
        <a href={record === null ? toAddress('/', {}) : toRecordAddress(record, connection, id)}>{says}</a>{' '}
        {isOfSeveral ? <span class="label">{record}</span> : null} <LateTag late={late} />
        {receivers.length === 0 ? null : <Told receivers={receivers} />}
      </div>
    </li>
  );
}
