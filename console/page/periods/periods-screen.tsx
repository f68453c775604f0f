import { PATHS } from '#console/routes/paths.ts';
import type { ChangedRow, PeriodAnswer, PeriodRow, PeriodsAnswer } from '../../routes/periods.ts';
import { api, toAddress } from '../data/api.ts';
import { toPeriodAddress, toPersonAddress, toRecordAddress } from '../data/location.ts';
import { formatAge } from '../parts/clock.ts';
import { Command } from '../parts/copy-button.tsx';
import { formatDate, formatInstant } from '../parts/moment.tsx';
import { Empty, OldNote, Waiting } from '../parts/notes.tsx';
import { useResource } from '../parts/resource.ts';
import { type Column, Table } from '../parts/table.tsx';
import { PeriodItem } from './period-item.tsx';

const RELOAD_MS = 20_000;

interface PeriodsScreenProps {
  readonly id: string | null;
  readonly connection: string | null;
}

/** The open and the recently closed pay periods. */
export function PeriodsScreen({ id, connection }: PeriodsScreenProps) {
  const { value, error } = useResource({
    key: 'periods',
    load: api.periods,
    everyMs: RELOAD_MS,
    followsEvents: true,
  });
  const isChosen = (row: PeriodRow) =>
    row.id === id && (connection === null || row.connection === connection);
  const isMissing = id !== null && value?.periods.some(isChosen) === false;
  return (
    <div class="screen periods">
      <div class="heading">
        <h1>Pay periods</h1>
        {value === null ? null : <p class="about">Read {formatAge(value.readAt)}</p>}
      </div>
      <OldNote error={value === null ? null : error} />
      {value === null ? <Waiting error={error} doing="Counting the timesheets" /> : null}
      {value?.periods.length === 0 ? (
        <Empty title="No pay period yet">
          <p>The first poll of the pay periods fills this board, within a minute.</p>
        </Empty>
      ) : null}
      {isMissing ? (
        <p class="old" role="status">
          Pay period {id} is not here: the board has the open ones and those that closed recently. What is
          known of others is in the <a href={`/records/${encodeURIComponent(id)}`}>history</a> of their id.
        </p>
      ) : null}
      {value === null ? null : <StillOpen answer={value} />}
      {value === null ? null : <Board answer={value} isLost={error !== null} isChosen={isChosen} />}
      {value?.troubles.map((text) => (
        <p key={text} class="old">
          {text}
        </p>
      ))}
    </div>
  );
}

/** What of closed pay periods no processing has covered, whichever period is open below. */
function StillOpen({ answer: { periods } }: { readonly answer: PeriodsAnswer }) {
  const open = periods.filter((row) => (row.open?.timesheets ?? 0) > 0);
  if (open.length === 0) return null;
  return (
    <section class="details still-open" aria-label="Still open">
      <h2>Still open</h2>
      <p class="fact">
        Changed since it was told, and not processed since. The figures below have it already: it is not to be
        added.
      </p>
      {open.map((row) => (
        <OpenPeriod key={`${row.connection} ${row.id}`} row={row} />
      ))}
    </section>
  );
}

function OpenPeriod({ row }: { readonly row: PeriodRow }) {
  const { id, connection, calendar, startDate, finishDate, changes, open } = row;
  const listed = changes?.listed.filter(({ isOpen }) => isOpen) ?? [];
  return (
    <>
      <p class="fact">
        <a href={toPeriodAddress(id, connection)}>
          {calendar} {formatDate(startDate)} to {formatDate(finishDate)}
        </a>
        : {describeOpen(row)}
      </p>
      <Changed listed={listed} row={row} />
      <More left={(open?.timesheets ?? 0) - listed.length} />
    </>
  );
}

/** `2 timesheets, +1.5 h`. */
function describeOpen({ open }: PeriodRow): string {
  if (open === null) return 'not known';
  const known = open.complete ? '' : ', as far as known';
  return `${formatTimesheets(open.timesheets)}, ${formatChange(open.hours)}${known}`;
}

const CHANGED: readonly Column[] = [
  { name: 'Person' },
  { name: 'Date' },
  { name: 'Was', isNumber: true },
  { name: 'Now', isNumber: true },
  { name: 'Difference', isNumber: true },
  { name: 'Why' },
  { name: 'Department' },
  { name: 'Timesheet' },
];

interface ChangedProps {
  readonly listed: readonly ChangedRow[];
  readonly row: PeriodRow;
}

function Changed({ listed, row }: ChangedProps) {
  return (
    <div class="wide">
      <Table
        columns={CHANGED}
        rows={listed.map((each) => ({
          key: each.timesheetId,
          cells: [
            linkPerson(each, row),
            each.date === null ? '–' : formatDate(each.date),
            ...[each.was, each.now].map((hours) => (hours === null ? '–' : formatHours(hours))),
            formatChange(each.difference),
            `${each.why}${each.isOpen ? ', still open' : ''}`,
            each.department ?? each.departmentId ?? '–',
            <a key="id" href={toRecordAddress(each.timesheetId, row.connection)}>
              {each.timesheetId}
            </a>,
          ],
        }))}
      />
    </div>
  );
}

function More({ left }: { readonly left: number }) {
  return left > 0 ? <p class="fact">And {left.toLocaleString('en')} more, which the files have.</p> : null;
}

function formatHours(hours: number): string {
  return `${hours.toLocaleString('en', { maximumFractionDigits: 4 })} h`;
}

function formatChange(hours: number): string {
  return `${hours > 0 ? '+' : hours < 0 ? '−' : ''}${formatHours(Math.abs(hours))}`;
}

function formatTimesheets(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'timesheet' : 'timesheets'}`;
}

interface BoardProps {
  readonly answer: PeriodsAnswer;
  readonly isLost: boolean;
  readonly isChosen: (row: PeriodRow) => boolean;
}

function Board({ answer: { periods }, isLost, isChosen }: BoardProps) {
  const several = new Set(periods.map((each) => each.connection)).size > 1;
  return (
    <ol class="board">
      {periods.map((row) => (
        <PeriodItem
          key={`${row.connection} ${row.id}`}
          row={row}
          several={several}
          isOpen={isChosen(row)}
          isLost={isLost}
        >
          {isChosen(row) ? <PeriodDetails row={row} /> : null}
        </PeriodItem>
      ))}
    </ol>
  );
}

/** What a pay period is made of: what is in doubt, departments, what is left over, what changed, what it was told as. */
function PeriodDetails({ row }: { readonly row: PeriodRow }) {
  const { id, connection } = row;
  const { value, error } = useResource({
    key: `${connection} ${id}`,
    load: () => api.period({ id, connection }),
    everyMs: RELOAD_MS,
    followsEvents: true,
  });
  // What the board knows is there at once, its lists come.
  const current = value?.row ?? row;
  const toFile = (file: string) => toAddress(PATHS.periodCsv, { id, connection, file });
  return (
    <div class="details">
      <OldNote error={value === null ? null : error} />
      {current.reserves.map((reserve) => (
        <p key={reserve} class="old">
          In doubt: {reserve}.
        </p>
      ))}
      <div class="columns">
        {value === null ? (
          <Waiting error={error} doing="Listing its timesheets" />
        ) : (
          <div>
            <Departments answer={value} />
            <LeftOver answer={value} />
            <Changes row={current} />
          </div>
        )}
        <div>
          {value === null ? null : <Told answer={value} />}
          <h2>More</h2>
          <Command text={row.command} />
          <p>
            <a href={toFile('pay')} download>
              CSV of what to pay
            </a>{' '}
            <a href={toFile('left-over')} download>
              CSV of what is left over
            </a>{' '}
            <a href={toRecordAddress(id, connection)}>History</a>
          </p>
        </div>
      </div>
    </div>
  );
}

const DEPARTMENTS: readonly Column[] = [
  { name: 'Department' },
  ...['Timesheets', 'Ready', 'Not ready', 'Not approved', 'Not processed'].map((name) => ({
    name,
    isNumber: true,
  })),
];

function Departments({ answer: { departments, row } }: { readonly answer: PeriodAnswer }) {
  return (
    <>
      <h2>By department</h2>
      <div class="wide">
        <Table
          columns={DEPARTMENTS}
          rows={departments.map((each) => ({
            key: each.departmentId,
            cells: [
              linkDepartment(each, row),
              each.timesheets.toLocaleString('en'),
              ...[each.ready.hours, each.notReady.hours].map(formatHours),
              ...[each.notReady.timesheets, each.unprocessed].map((count) => count.toLocaleString('en')),
            ],
          }))}
        />
      </div>
    </>
  );
}

type Department = PeriodAnswer['departments'][number];

/** To what happens there; nothing lists what is in no department. */
function linkDepartment({ departmentId, department }: Department, { connection }: PeriodRow) {
  if (departmentId === null) return 'No department';
  return (
    <a key="department" href={toAddress('/', { department: departmentId, connection })}>
      {department ?? departmentId}
    </a>
  );
}

function linkPerson(
  { employeeId, employee }: Pick<ChangedRow, 'employeeId' | 'employee'>,
  { connection }: PeriodRow,
) {
  if (employeeId === null) return '–';
  return (
    <a key="person" href={toPersonAddress(employeeId, connection)}>
      {employee ?? employeeId}
    </a>
  );
}

const LEFT_OVER: readonly Column[] = [
  { name: 'Timesheet' },
  { name: 'Date' },
  { name: 'Person' },
  { name: 'Department' },
  { name: 'Hours', isNumber: true },
  { name: 'Missing' },
];

function LeftOver({ answer: { left, leftOver, row } }: { readonly answer: PeriodAnswer }) {
  if (left === 0) return <p class="fact">Nothing is left over.</p>;
  return (
    <details>
      <summary>{formatTimesheets(left)} left over</summary>
      <div class="wide">
        <Table
          columns={LEFT_OVER}
          rows={leftOver.map((each) => ({
            key: each.timesheetId,
            cells: [
              <a key="id" href={toRecordAddress(each.timesheetId, row.connection)}>
                {each.timesheetId}
              </a>,
              each.date === null ? '–' : formatDate(each.date),
              linkPerson(each, row),
              each.department ?? each.departmentId ?? '–',
              formatHours(each.hours),
              each.missing,
            ],
          }))}
        />
      </div>
      <More left={left - leftOver.length} />
    </details>
  );
}

/** Since it was told; all of it is in its figures. */
function Changes({ row }: { readonly row: PeriodRow }) {
  const { changes, state, timeZone } = row;
  if (state === 'open') return null;
  if (changes === null) return <p class="fact">What changed since it was told is not known.</p>;
  const since = formatInstant(changes.since, timeZone, 'moment');
  if (changes.timesheets === 0) return <p class="fact">Nothing changed since {since}.</p>;
  return (
    <details>
      <summary>
        Changed since {since}, in these figures: {formatChange(changes.hours)} in{' '}
        {formatTimesheets(changes.timesheets)}
      </summary>
      <Changed listed={changes.listed} row={row} />
      <More left={changes.timesheets - changes.listed.length} />
    </details>
  );
}

function Told({ answer: { told, row } }: { readonly answer: PeriodAnswer }) {
  if (told.length === 0) return null;
  return (
    <>
      <h2>Told as</h2>
      <ul class="told-as">
        {told.map(({ time, moment, counted }) => (
          <li key={`${time} ${moment}`}>
            {moment} {formatInstant(time, row.timeZone, 'moment')}:{' '}
            {counted === null
              ? 'not counted'
              : `${formatHours(counted.ready.hours)} ready, ${formatHours(counted.notReady.hours)} not. ${counted.verdict}`}
          </li>
        ))}
      </ul>
    </>
  );
}
