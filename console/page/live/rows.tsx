import type { Line } from '../../routes/lines.ts';
import { toPeriodAddress, toPersonAddress, toRecordAddress } from '../data/location.ts';
import { Chevron, KindMark } from '../parts/marks.tsx';
import { formatDate, formatInstant, Moment, zoneOf } from '../parts/moment.tsx';
import { type LineGroup, summarizeGroup } from './line-groups.ts';
import { findWords } from './words.ts';

export function DayRow({ line }: { readonly line: Line }) {
  return <h2 class="day">{formatInstant(line.committedAt, zoneOf(line.connection), 'day')}</h2>;
}

/** One event: when, who, of which day, and what changed, which is a link to its record, or to how the watching itself is. */
export function LineRow({ line, isInside }: { readonly line: Line; readonly isInside: boolean }) {
  const { mark, tone } = findWords(line.type);
  const { record, connection, date, says } = line;
  return (
    <div class={`line ${isInside ? 'inside' : ''}`}>
      <Moment at={line.seenAt} timeZone={zoneOf(connection)} form="time" />
      <KindMark mark={mark} tone={tone} />
      <Who line={line} />
      <span class="of-day">{date === null ? '' : formatDate(date)}</span>
      <a
        class="says"
        href={record === null ? '/deliveries' : toRecordAddress(record, connection, line.id)}
        data-line
      >
        {says}
      </a>
      <LateTag late={line.late} />
    </div>
  );
}

function Who({ line }: { readonly line: Line }) {
  const { employeeId, employee, department, period, record, connection } = line;
  return (
    <span class="who">
      {period === null || record === null ? null : <a href={toPeriodAddress(record, connection)}>{period}</a>}
      {employeeId === null ? null : (
        <a href={toPersonAddress(employeeId, connection)}>{employee ?? employeeId}</a>
      )}{' '}
      {department === null ? null : <span class="label">{department}</span>}
    </span>
  );
}

const AFTER: Readonly<Record<string, string>> = {
  approval: 'after approval',
  processing: 'after processing',
  close: 'after its period closed',
};

/** That something stood already when it changed, which is said beside it. */
export function LateTag({ late }: { readonly late: readonly string[] }) {
  if (late.length === 0) return null;
  return (
    <span class="tag late" title={late.map((each) => AFTER[each] ?? each).join(', ')}>
      Late
    </span>
  );
}

interface GroupRowProps {
  readonly group: LineGroup;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A burst in one line, which opens. */
export function GroupRow({ group, isOpen, onToggle }: GroupRowProps) {
  const newest = group.lines.at(-1) as Line;
  const { mark, tone, many } = findWords(newest.type);
  const { count, from, to, departments, late } = summarizeGroup(group);
  const zone = zoneOf(newest.connection);
  const [begin, end] = [formatInstant(from, zone, 'minute'), formatInstant(to, zone, 'minute')];
  return (
    <button type="button" class="line group" data-line aria-expanded={isOpen} onClick={onToggle}>
      <Moment at={newest.seenAt} timeZone={zone} form="time" />
      <KindMark mark={mark} tone={tone} />
      <span class="burst">
        <strong>
          {count} {many}
        </strong>
        , {begin === end ? `at ${begin}` : `${begin} to ${end}`}
        {departments > 1 ? `, ${departments} departments` : ''}
        {late > 0 ? `, ${late} late` : ''}
      </span>
      <Chevron />
    </button>
  );
}
