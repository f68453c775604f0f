import { PATHS } from '../../routes/paths.ts';
import type { PeriodAnswer, PeriodRow, PeriodTimesheet } from '../../routes/periods.ts';
import { api, toAddress } from '../data/api.ts';
import { toRecordAddress } from '../data/location.ts';
import { Command } from '../parts/copy-button.tsx';
import { formatDate, formatInstant } from '../parts/moment.tsx';
import { Empty, OldNote } from '../parts/notes.tsx';
import { useResource } from '../parts/resource.ts';

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
      <div class="details">{error === null ? <p class="loading">Reading</p> : <Empty title={error} />}</div>
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

function FigureHeadings() {
  return (
    <>
      {['Timesheets', 'Hours', 'Not approved', 'Not processed'].map((heading) => (
        <th key={heading} scope="col" class="number">
          {heading}
        </th>
      ))}
    </>
  );
}

interface Figures {
  readonly timesheets: number;
  readonly hours: number;
  readonly unapproved: number;
  readonly unprocessed: number;
}

function FigureCells({ of: { timesheets, hours, unapproved, unprocessed } }: { readonly of: Figures }) {
  return (
    <>
      {[timesheets, hours, unapproved, unprocessed].map((figure, column) => (
        <td class="number" key={column}>
          {figure.toLocaleString('en')}
        </td>
      ))}
    </>
  );
}

function Departments({ answer: { departments, row } }: { readonly answer: PeriodAnswer }) {
  return (
    <>
      <h2>By department</h2>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Department</th>
              <FigureHeadings />
              <th scope="col">File</th>
            </tr>
          </thead>
          <tbody>
            {departments.map((each) => (
              <tr key={each.id}>
                <th scope="row">{each.name ?? each.id ?? 'No department'}</th>
                <FigureCells of={each} />
                <td>
                  <a
                    href={toCsvAddress(row, each.id)}
                    aria-label={`CSV of ${each.name ?? each.id ?? 'timesheets without a department'}`}
                    download
                  >
                    CSV
                  </a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
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
        <table>
          <thead>
            <tr>
              <th scope="col">Person</th>
              <FigureHeadings />
            </tr>
          </thead>
          <tbody>
            {people.slice(0, MAX_SHOWN).map((each) => (
              <tr key={each.id}>
                <th scope="row">{each.name ?? each.id ?? 'No person'}</th>
                <FigureCells of={each} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

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
        <table>
          <thead>
            <tr>
              <th scope="col">Timesheet</th>
              <th scope="col">Date</th>
              <th scope="col">Person</th>
              <th scope="col">Department</th>
              <th scope="col" class="number">
                Hours
              </th>
              <th scope="col">Missing</th>
            </tr>
          </thead>
          <tbody>
            {left.slice(0, MAX_SHOWN).map((each) => (
              <tr key={each.id}>
                <th scope="row">
                  <a href={toRecordAddress(each.id, row.connection)}>{each.id}</a>
                </th>
                <td>{each.date === null ? '–' : formatDate(each.date)}</td>
                <td>{each.employee ?? each.employeeId ?? '–'}</td>
                <td>{each.department ?? each.departmentId ?? '–'}</td>
                <td class="number">{each.hours}</td>
                <td>{describeMissing(each)}</td>
              </tr>
            ))}
          </tbody>
        </table>
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
