import type { PeriodRow } from '../../routes/periods.ts';
import { api } from '../data/api.ts';
import { toPeriodAddress } from '../data/location.ts';
import { formatAge } from '../parts/clock.ts';
import { Chevron, OutcomeMark } from '../parts/marks.tsx';
import { formatDate, formatInstant } from '../parts/moment.tsx';
import { Empty, OldNote, Waiting } from '../parts/notes.tsx';
import { useResource } from '../parts/resource.ts';
import { PeriodDetails } from './period-details.tsx';

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
  const several = new Set(value?.periods.map((each) => each.connection)).size > 1;
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
          <p>
            The first poll of the pay periods fills this board: with the default schedule within a minute.
          </p>
        </Empty>
      ) : null}
      {isMissing ? (
        <p class="old" role="status">
          Pay period {id} is not here: the board has the open ones and those that closed recently. What is
          known of others is in the <a href={`/records/${encodeURIComponent(id)}`}>history</a> of their id.
        </p>
      ) : null}
      <ol class="board">
        {value?.periods.map((row) => (
          <PeriodItem
            key={`${row.connection} ${row.id}`}
            row={row}
            several={several}
            isOpen={isChosen(row)}
          />
        ))}
      </ol>
      {value?.troubles.map((text) => (
        <p key={text} class="old">
          {text}
        </p>
      ))}
    </div>
  );
}

interface PeriodItemProps {
  readonly row: PeriodRow;
  readonly several: boolean;
  readonly isOpen: boolean;
}

function PeriodItem({ row, several, isOpen }: PeriodItemProps) {
  const { calendar, startDate, finishDate, timesheets, employees, hours, approved, processed, leftOver } =
    row;
  return (
    <li class={`period ${isOpen ? 'open' : ''}`}>
      <a
        class="summary"
        data-line
        href={isOpen ? '/periods' : toPeriodAddress(row.id, row.connection)}
        aria-expanded={isOpen}
      >
        <span class="what">
          <strong>{calendar}</strong> {formatDate(startDate)} to {formatDate(finishDate)}
          <span class="id">
            {row.id}
            {several ? ` of ${row.connection}` : ''}
          </span>
        </span>
        <StateTag row={row} />
        <Share label="approved" part={approved} whole={timesheets} />
        <Share label="processed" part={processed} whole={timesheets} />
        <span class="figure">
          <span class="number">{hours.toLocaleString('en')} h</span>
          <span class="label">
            {timesheets.toLocaleString('en')} timesheets, {employees.toLocaleString('en')} people
          </span>
        </span>
        <span class="figure">
          <span class="number">{leftOver.toLocaleString('en')}</span>
          <span class="label">left over</span>
        </span>
        <Chevron />
      </a>
      {isOpen ? <PeriodDetails row={row} /> : null}
    </li>
  );
}

function StateTag({ row: { closed, closings, deadline, timeZone } }: { readonly row: PeriodRow }) {
  const last = closings.at(-1);
  const differs = last?.addsUp === false;
  return (
    <span class="status">
      <span>
        <OutcomeMark outcome={closed === null ? 'none' : differs ? 'wait' : 'good'} />{' '}
        {closed === null ? 'Open' : `Closed ${formatDate(closed.slice(0, 10))}`}
      </span>
      {deadline === null || closed !== null ? null : (
        <span class="label">closes {formatInstant(deadline, timeZone, 'moment')}</span>
      )}
      {closed !== null && last?.addsUp != null ? (
        <span class="label">{last.addsUp ? 'adds up with the source' : 'differs from the source'}</span>
      ) : null}
      {closed !== null && last === undefined ? <span class="label">closed before the first poll</span> : null}
    </span>
  );
}

interface ShareProps {
  readonly label: string;
  readonly part: number;
  readonly whole: number;
}

/** A number and the same as a bar. */
function Share({ label, part, whole }: ShareProps) {
  const share = whole === 0 ? 0 : part / whole;
  const text = whole === 0 ? '–' : `${part === whole ? 100 : Math.min(99, Math.round(share * 100))} %`;
  return (
    <span class="share">
      <span class="number">{text}</span> <span class="label">{label}</span>
      <span class="track" aria-hidden="true">
        <span class="fill" style={{ transform: `scaleX(${share})` }} />
      </span>
    </span>
  );
}
