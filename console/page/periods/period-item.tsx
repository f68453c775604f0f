import type { ComponentChildren } from 'preact';
import type { PeriodRow } from '../../routes/periods.ts';
import { overview } from '../data/feed.ts';
import { toPeriodAddress, toRecordAddress } from '../data/location.ts';
import { Chevron, type Outcome, OutcomeMark } from '../parts/marks.tsx';
import { formatDate, formatInstant } from '../parts/moment.tsx';

interface PeriodItemProps {
  readonly row: PeriodRow;
  readonly several: boolean;
  readonly isOpen: boolean;
  /** The console cannot read it again. */
  readonly isLost: boolean;
  /** What it opens to. */
  readonly children: ComponentChildren;
}

/** A pay period in short: whether payroll may be run, and of what that is said. */
export function PeriodItem({ row, several, isOpen, isLost, children }: PeriodItemProps) {
  const { timesheets, ready, notReady, unprocessed } = row;
  return (
    <li class={`period ${isOpen ? 'open' : ''} ${row.isOld || isLost ? 'old-count' : ''}`}>
      <div class="summary">
        <p class="verdict">
          <OutcomeMark outcome={judge(row)} /> {row.verdict}
          {row.isOld || isLost ? <span class="label"> {describeAge(row)}</span> : null}
        </p>
        <a
          class="what"
          data-line
          href={isOpen ? '/periods' : toPeriodAddress(row.id, row.connection)}
          aria-expanded={isOpen}
        >
          <PeriodName {...row} several={several} />
        </a>
        <State row={row} />
        <Figure figures={ready} label="ready" />
        <Figure figures={notReady} label="not ready" />
        <Share label="processed" part={timesheets - unprocessed} whole={timesheets} />
        <Chevron />
      </div>
      {children}
    </li>
  );
}

function judge({ state, isToPay, differs }: PeriodRow): Outcome {
  if (differs) return 'bad';
  if (isToPay) return 'good';
  return state === 'open' ? 'none' : 'wait';
}

/** `counted at 10:02, counts anew`; nothing counts it while `npm start` is stopped. */
function describeAge({ countedAt, timeZone }: PeriodRow): string {
  const counted =
    countedAt === null ? 'not counted yet' : `counted at ${formatInstant(countedAt, timeZone, 'minute')}`;
  return overview.value?.isStopped === true ? counted : `${counted}, counts anew`;
}

interface FigureProps {
  readonly figures: PeriodRow['ready'];
  readonly label: string;
}

function Figure({ figures: { hours, timesheets, people }, label }: FigureProps) {
  return (
    <span class="figure">
      <span class="number">{hours.toLocaleString('en')} h</span> <span>{label}</span>
      <span class="label">
        {timesheets.toLocaleString('en')} {timesheets === 1 ? 'timesheet' : 'timesheets'},{' '}
        {people.toLocaleString('en')} {people === 1 ? 'person' : 'people'}
      </span>
    </span>
  );
}

type PeriodNameProps = Pick<PeriodRow, 'id' | 'connection' | 'calendar' | 'startDate' | 'finishDate'> &
  Pick<PeriodItemProps, 'several'>;

function PeriodName({ id, connection, calendar, startDate, finishDate, several }: PeriodNameProps) {
  return (
    <span>
      <strong>{calendar}</strong> {formatDate(startDate)} to {formatDate(finishDate)}
      <span class="id">
        {id}
        {several ? ` of ${connection}` : ''}
      </span>
    </span>
  );
}

function State({ row: { id, connection, stateSays, agreement } }: { readonly row: PeriodRow }) {
  return (
    <span class="status">
      <span class="state">{stateSays}</span>
      {agreement === null ? null : <span class="label">{agreement}</span>}
      <a class="label over" href={toRecordAddress(id, connection)}>
        Who was told
      </a>
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
