import type { ComponentChildren } from 'preact';
import type { PeriodRow } from '../../routes/periods.ts';
import { service } from '../data/feed.ts';
import { toPeriodAddress, toRecordAddress } from '../data/location.ts';
import { companyNow, formatDuration } from '../parts/clock.ts';
import { Chevron, type Outcome, OutcomeMark } from '../parts/marks.tsx';
import { formatDate, formatInstant } from '../parts/moment.tsx';

interface PeriodItemProps {
  readonly row: PeriodRow;
  readonly several: boolean;
  readonly isOpen: boolean;
  /** What it opens to. */
  readonly children: ComponentChildren;
}

/** A pay period in one line: how far it is, and what is left to do until when. */
export function PeriodItem({ row, several, isOpen, children }: PeriodItemProps) {
  const { timesheets, employees, hours, approved, processed, leftOver } = row;
  return (
    <li class={`period ${isOpen ? 'open' : ''}`}>
      <div class="summary">
        <a
          class="what"
          data-line
          href={isOpen ? '/periods' : toPeriodAddress(row.id, row.connection)}
          aria-expanded={isOpen}
        >
          <PeriodName {...row} several={several} />
        </a>
        <StateTag row={row} />
        <Share label="approved" part={approved} whole={timesheets} />
        <Share label="processed" part={processed} whole={timesheets} />
        <Figure hours={hours} timesheets={timesheets} employees={employees} />
        <span class="figure">
          <span class="number">{leftOver.toLocaleString('en')}</span>
          <span class="label">left over</span>
        </span>
        <Chevron />
      </div>
      {children}
    </li>
  );
}

function Figure({ hours, timesheets, employees }: Pick<PeriodRow, 'hours' | 'timesheets' | 'employees'>) {
  return (
    <span class="figure">
      <span class="number">{hours.toLocaleString('en')} h</span>
      <span class="label">
        {timesheets.toLocaleString('en')} timesheets, {employees.toLocaleString('en')} people
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

/** How far it is, and for how long there is still something to do. */
function StateTag({ row }: { readonly row: PeriodRow }) {
  const { id, connection, closed, closings, deadline, timeZone, settled, leftOver } = row;
  const last = closings.at(-1);
  const [outcome, words] = describeState(row);
  const known = last === undefined ? 'closed before the first poll' : `adds up with ${service.value}`;
  return (
    <span class="status">
      <span>
        <OutcomeMark outcome={outcome} /> {words}
      </span>
      {closed === null ? (
        <span
          class="label"
          title={deadline === null ? undefined : formatInstant(deadline, timeZone, 'moment')}
        >
          {describeWork(row)}
        </span>
      ) : (
        <>
          <span class="label">closed {formatDate(closed.slice(0, 10))}</span>
          {last === undefined || last.addsUp === true ? <span class="label">{known}</span> : null}
          {settled && leftOver > 0 ? <span class="label">something changed since</span> : null}
        </>
      )}
      <a class="label over" href={toRecordAddress(id, connection)}>
        Who was told
      </a>
    </span>
  );
}

function describeState({ closed, closings, settled, leftOver }: PeriodRow): readonly [Outcome, string] {
  if (closed === null) return ['none', 'Open'];
  if (settled) return ['good', 'Settled'];
  if (closings.at(-1)?.addsUp === false) return ['bad', `Differs from ${service.value}`];
  return leftOver === 0 ? ['none', 'Closed'] : ['wait', 'Not settled'];
}

/** `closes in 5 days, 33 to approve`. */
function describeWork({ deadline, timesheets, approved }: PeriodRow): string {
  const left = timesheets - approved;
  const work = left === 0 ? 'all approved' : `${left.toLocaleString('en')} to approve`;
  return deadline === null ? work : `${describeDeadline(deadline)}, ${work}`;
}

function describeDeadline(deadline: string): string {
  const rest = Date.parse(deadline) - (companyNow.value ?? 0);
  return rest < 0 ? `should have closed ${formatDuration(-rest)} ago` : `closes in ${formatDuration(rest)}`;
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
