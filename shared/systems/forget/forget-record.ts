import { toIso } from '../../core/dates.ts';
import { sourceOf } from '../../core/event-types.ts';
import { computeEventId, toPosition } from '../../core/events/envelope.ts';
import type { FeedName } from '../../core/feeds.ts';
import { isManagedBy, withoutManager } from '../../core/records/directory.ts';
import { feedDefinition, parseRow, toState } from '../../core/records/feed-definition.ts';
import type { StoredRow } from '../../core/snapshot/row.ts';
import { readState } from '../../core/snapshot/stored-state.ts';
import type { Person } from './forget-in.ts';
import { toForgottenText } from './forgotten-event.ts';

/** Whom stored records may tell of. */
export type Forgettable = Pick<Person, 'connection' | 'employeeId' | 'name'>;

/** Whether a stored record tells of an employee. */
export function isRowOf(feed: FeedName, row: StoredRow, employee: Forgettable): boolean {
  const { employeeId } = employee;
  if (feed === 'employees') return row.id === employeeId;
  const known = [row.text, row.bad?.text ?? null].flatMap((text) => (text === null ? [] : [parseRow(text)]));
  if (feed === 'departments') return known.some((values) => isManagedBy(values, employee));
  const definition = feedDefinition(feed);
  return (
    feed === 'timesheets' && known.some((values) => toState(definition, values).employeeId === employeeId)
  );
}

/** What stays of a row: of the directory, a department with a manager of whom nothing is known. */
export function forgetRow(feed: FeedName, { bad: _, ...row }: StoredRow): StoredRow | null {
  if (feed !== 'departments' || row.text === null) return null;
  return { ...row, text: JSON.stringify(withoutManager(parseRow(row.text))) };
}

/** A timesheet of a forgotten employee, with the position of its last event. `epoch`: in milliseconds since 1970. */
export interface LastTold {
  readonly id: string;
  readonly epoch: number;
  readonly sequence: number;
  readonly departmentId: string | null;
  readonly organisationId: string | null;
}

/** When it is told: records of an earlier epoch begin a new one after a restore (rule 16). */
export interface TellingTime {
  readonly now: number;
  readonly clock: number;
  readonly restoredAt: number | null;
}

export function readLastTold(row: StoredRow): LastTold {
  const { departmentId, organisationWorkedId } = readState('timesheets', row) ?? {};
  const { id, epoch, sequence } = row;
  return {
    id,
    epoch,
    sequence,
    departmentId: textOf(departmentId),
    organisationId: textOf(organisationWorkedId),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The event that says that a timesheet is forgotten. Of the directory there is none, since it would name whom it is about. */
export function tellForgotten(connection: string, last: LastTold, time: TellingTime): string {
  const { id: subject, departmentId, organisationId } = last;
  const feed = { connection, feed: 'timesheets' } as const;
  const begins = time.restoredAt !== null && last.epoch < time.restoredAt;
  const position = toPosition(
    begins ? { epoch: time.clock, sequence: 1 } : { epoch: last.epoch, sequence: last.sequence + 1 },
  );
  return toForgottenText({
    id: computeEventId(feed, subject, position),
    source: sourceOf(connection, feed.feed),
    type: 'workforce.employee.forgotten',
    ...{ subject, time: toIso(time.now), connection, ...position },
    data: { departmentId, organisationId },
  });
}
