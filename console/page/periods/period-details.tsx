import { PATHS } from '../../routes/paths.ts';
import type { PeriodAnswer, PeriodRow, PeriodTimesheet } from '../../routes/periods.ts';
import { api, toAddress } from '../data/api.ts';
import { toRecordAddress } from '../data/location.ts';
import { Command } from '../parts/copy-button.tsx';
import { formatDate, formatInstant } from '../parts/moment.tsx';
import { OldNote, Waiting } from '../parts/notes.tsx';
import { useResource } from '../parts/resource.ts';
import { type Column, Table } from '../parts/table.tsx';

const RELOAD_MS = 20_000;
/** The others are in the CSV. */
const MAX_SHOWN = 100;

/** What a pay period is made of: departments, people, timesheets that are left over, closings. */
export function PeriodDetails({ row }: { readonly row: PeriodRow }) {
  const { id, connection } = row;
  const { value, error } = useResource({
    key: `${connection} ${id}`,
    load: () => api.period({ id, connection }),
    everyMs: RELOAD_MS,
    followsEvents: true,
  });
  if (value === null)
    return (
      <div class="details">
        <Waiting error={error} />
      </div>
    );
  return (
    <div class="details">
      <OldNote error={error} />
      <Remarks row={value.row} />
      <div class="columns">
        <div>
          <Departments answer={value} />
          <People answer={value} />
          <LeftOver answer={value} />
        </div>
        <div>
          <Closings row={value.row} />
          <h2>More</h2>
          <Command text={row.command} />
          <p>
            <a href={toAddress(PATHS.periodCsv, { id, connection })} download>
              All timesheets as CSV
            </a>{' '}
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
          asks the source whose they are.
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
            cells: [each.name ?? each.id ?? 'No department', ...listFigures(each), linkFile(each)],
          }))}
        />
      </div>
    </>
  );
}

/** Those without a department have an empty one, which `toAddress` would leave out. */
function toCsvAddress({ id, connection }: PeriodRow, department: string | null): string {
  return `${toAddress(PATHS.periodCsv, { id, connection })}&department=${encodeURIComponent(department ?? '')}`;
}

function People({ answer: { people } }: { readonly answer: PeriodAnswer }) {
  if (people.length === 0) return null;
  return (
    <>
      <h2>People with something left over</h2>
      <div class="wide">
        <Table
          columns={[{ name: 'Person' }, ...FIGURES]}
          rows={people.slice(0, MAX_SHOWN).map((each) => ({
            key: each.id,
            cells: [each.name ?? each.id ?? 'No person', ...listFigures(each)],
          }))}
        />
      </div>
    </>
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
              each.employee ?? each.employeeId ?? '–',
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

function Closings({ row: { closings, timeZone, hours, digest } }: { readonly row: PeriodRow }) {
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
                ? '; adds up with the source'
                : '; differs from the source'}
          </li>
        ))}
        <li>
          Now: {hours.toLocaleString('en')} h. <span class="digest">Digest {digest}</span>
        </li>
      </ul>
    </>
  );
}
