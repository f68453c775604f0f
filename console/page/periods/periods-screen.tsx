import { PATHS } from '#console/routes/paths.ts';
import type { PeriodAnswer, PeriodRow, PeriodsAnswer, PeriodTimesheet } from '../../routes/periods.ts';
import { api, toAddress } from '../data/api.ts';
import { service } from '../data/feed.ts';
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
        {value === null ? null : <p class="about">Counted {formatAge(value.readAt)}</p>}
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
      {value === null ? null : <Board answer={value} isChosen={isChosen} />}
      {value?.troubles.map((text) => (
        <p key={text} class="old">
          {text}
        </p>
      ))}
    </div>
  );
}

const STILL_OPEN: readonly Column[] = [
  { name: 'Person' },
  { name: 'Date' },
  { name: 'To pay', isNumber: true },
  { name: 'Since it closed' },
  { name: 'Department' },
  { name: 'Timesheet' },
];

/** What of closed pay periods is not paid as it is now, whichever period is open below. */
function StillOpen({ answer: { periods } }: { readonly answer: PeriodsAnswer }) {
  const open = periods.filter(({ stillOpen }) => (stillOpen ?? []).length > 0);
  if (open.length === 0) return null;
  return (
    <section class="details still-open" aria-label="Still open after a close">
      <h2>Still open after a close</h2>
      {open.map((row) => (
        <OpenPeriod key={`${row.connection} ${row.id}`} row={row} />
      ))}
    </section>
  );
}

function OpenPeriod({ row }: { readonly row: PeriodRow }) {
  const { id, connection, calendar, startDate, finishDate } = row;
  const stillOpen = row.stillOpen ?? [];
  const hours = stillOpen.reduce((sum, { difference }) => sum + difference, 0);
  const hidden = stillOpen.length - MAX_SHOWN;
  return (
    <>
      <p class="fact">
        <a href={toPeriodAddress(id, connection)}>
          {calendar} {formatDate(startDate)} to {formatDate(finishDate)}
        </a>
        : {stillOpen.length.toLocaleString('en')} {stillOpen.length === 1 ? 'timesheet' : 'timesheets'},{' '}
        {formatChange(hours)}
      </p>
      <div class="wide">
        <Table
          columns={STILL_OPEN}
          rows={stillOpen.slice(0, MAX_SHOWN).map((each) => ({
            key: each.timesheetId,
            cells: [
              each.employeeId === null ? '–' : linkPerson(each.employeeId, each.employee, row),
              each.date === null ? '–' : formatDate(each.date),
              formatChange(each.difference),
              each.words,
              each.department ?? '–',
              <a key="id" href={toRecordAddress(each.timesheetId, connection)}>
                {each.timesheetId}
              </a>,
            ],
          }))}
        />
      </div>
      {hidden > 0 ? <p class="fact">And {hidden.toLocaleString('en')} more.</p> : null}
    </>
  );
}

/** `+1.5 h`; sums of decimals have noise. */
function formatChange(hours: number): string {
  const rounded = Math.round(hours * 100) / 100;
  return `${rounded > 0 ? '+' : rounded < 0 ? '−' : ''}${Math.abs(rounded).toLocaleString('en')} h`;
}

interface BoardProps {
  readonly answer: PeriodsAnswer;
  readonly isChosen: (row: PeriodRow) => boolean;
}

function Board({ answer: { periods }, isChosen }: BoardProps) {
  const several = new Set(periods.map((each) => each.connection)).size > 1;
  return (
    <ol class="board">
      {periods.map((row) => (
        <PeriodItem key={`${row.connection} ${row.id}`} row={row} several={several} isOpen={isChosen(row)}>
          {isChosen(row) ? <PeriodDetails row={row} /> : null}
        </PeriodItem>
      ))}
    </ol>
  );
}

/** The others are in the CSV. */
const MAX_SHOWN = 100;

/** What a pay period is made of: departments, people, timesheets that are left over, closings. */
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
  return (
    <div class="details">
      <OldNote error={value === null ? null : error} />
      <Remarks row={current} />
      <div class="columns">
        {value === null ? (
          <Waiting error={error} doing="Listing its timesheets" />
        ) : (
          <div>
            <Departments answer={value} />
            <People answer={value} />
            <LeftOver answer={value} />
          </div>
        )}
        <div>
          <Closings row={current} />
          <h2>More</h2>
          <Command text={row.command} />
          <p>
            <a href={toAddress(PATHS.periodCsv, { id, connection })} download>
              All timesheets as CSV
            </a>{' '}
            {current.closed !== null && (
              <>
                <a href={`${toAddress(PATHS.periodCsv, { id, connection })}&sheet=pay`} download>
                  What to pay
                </a>{' '}
                <a href={`${toAddress(PATHS.periodCsv, { id, connection })}&sheet=left-over`} download>
                  What is left over
                </a>{' '}
              </>
            )}
            <a href={toRecordAddress(id, connection)}>History</a>
          </p>
        </div>
      </div>
    </div>
  );
}

function Remarks({ row: { missing, sharesDates } }: { readonly row: PeriodRow }) {
  return (
    <>
      {missing === null ? null : (
        <p class="old">
          Without {formatDate(missing.from)} to {formatDate(missing.to)}, which were never read completely.
        </p>
      )}
      {sharesDates ? (
        <p class="fact">
          Another calendar covers some of these dates. Its timesheets are counted here too: only a closing
          asks {service.value} whose they are.
        </p>
      ) : null}
    </>
  );
}

/** The columns of figures. */
const FIGURES: readonly Column[] = ['Timesheets', 'Hours', 'Not approved', 'Not processed'].map((name) => ({
  name,
  isNumber: true,
}));

function listFigures({
  timesheets,
  hours,
  unapproved,
  unprocessed,
}: PeriodAnswer['people'][number]): string[] {
  return [timesheets, hours, unapproved, unprocessed].map((figure) => figure.toLocaleString('en'));
}

function Departments({ answer: { departments, row } }: { readonly answer: PeriodAnswer }) {
  const linkFile = ({ id, name }: PeriodAnswer['departments'][number]) => (
    <a
      key="file"
      href={toCsvAddress(row, id)}
      aria-label={`CSV of ${name ?? id ?? 'timesheets without a department'}`}
      download
    >
      CSV
    </a>
  );
  return (
    <>
      <h2>By department</h2>
      <div class="wide">
        <Table
          columns={[{ name: 'Department' }, ...FIGURES, { name: 'File' }]}
          rows={departments.map((each) => ({
            key: each.id,
            cells: [linkDepartment(each, row), ...listFigures(each), linkFile(each)],
          }))}
        />
      </div>
    </>
  );
}

/** To what happens there; nothing lists what is in no department. */
function linkDepartment({ id, name }: PeriodAnswer['departments'][number], { connection }: PeriodRow) {
  if (id === null) return 'No department';
  return (
    <a key="department" href={toAddress('/', { department: id, connection })}>
      {name ?? id}
    </a>
  );
}

/** Those without a department have an empty one, which `toAddress` would leave out. */
function toCsvAddress({ id, connection }: PeriodRow, department: string | null): string {
  return `${toAddress(PATHS.periodCsv, { id, connection })}&department=${encodeURIComponent(department ?? '')}`;
}

function People({ answer: { people, row } }: { readonly answer: PeriodAnswer }) {
  if (people.length === 0) return null;
  return (
    <>
      <h2>People with something left over</h2>
      <div class="wide">
        <Table
          columns={[{ name: 'Person' }, ...FIGURES]}
          rows={people.slice(0, MAX_SHOWN).map((each) => ({
            key: each.id,
            cells: [linkPerson(each.id, each.name, row), ...listFigures(each)],
          }))}
        />
      </div>
    </>
  );
}

function linkPerson(id: string | null, name: string | null, { connection }: PeriodRow) {
  if (id === null) return 'No person';
  return (
    <a key="person" href={toPersonAddress(id, connection)}>
      {name ?? id}
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

function LeftOver({ answer: { timesheets, row } }: { readonly answer: PeriodAnswer }) {
  const left = timesheets.filter(({ approved, processed }) => !(approved && processed));
  const hidden = left.length - MAX_SHOWN;
  if (left.length === 0)
    return <p class="fact">Nothing is left over: all timesheets are approved and processed.</p>;
  return (
    <details>
      <summary>
        {left.length.toLocaleString('en')} {left.length === 1 ? 'timesheet' : 'timesheets'} left over
      </summary>
      <div class="wide">
        <Table
          columns={LEFT_OVER}
          rows={left.slice(0, MAX_SHOWN).map((each) => ({
            key: each.id,
            cells: [
              <a key="id" href={toRecordAddress(each.id, row.connection)}>
                {each.id}
              </a>,
              each.date === null ? '–' : formatDate(each.date),
              linkPerson(each.employeeId, each.employee, row),
              each.department ?? each.departmentId ?? '–',
              each.hours,
              describeMissing(each),
            ],
          }))}
        />
      </div>
      {hidden > 0 ? <p class="fact">And {hidden.toLocaleString('en')} more, which the CSV has.</p> : null}
    </details>
  );
}

function describeMissing({ approved, processed }: PeriodTimesheet): string {
  return [...(approved ? [] : ['approval']), ...(processed ? [] : ['processing'])].join(', ');
}

function Closings({ row: { closings, timeZone, hours } }: { readonly row: PeriodRow }) {
  if (closings.length === 0) return null;
  return (
    <>
      <h2>Statement</h2>
      <ul class="closings">
        {closings.map((each) => (
          <li key={each.at}>
            Closed {formatInstant(each.at, timeZone, 'moment')}:{' '}
            {each.hours === null
              ? 'not counted'
              : `${each.hours.toLocaleString('en')} h, ${each.unapproved} not approved, ${each.unprocessed} not processed`}
            {each.addsUp === null
              ? ''
              : each.addsUp
                ? `; adds up with ${service.value}`
                : `; differs from ${service.value}`}
          </li>
        ))}
        <li>Now: {hours.toLocaleString('en')} h</li>
      </ul>
    </>
  );
}
