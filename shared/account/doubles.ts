import { groupBy } from '../core/group-by.ts';

/** From when until when a timesheet is, in milliseconds. Only to compare timesheets of one source. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
  /** Otherwise it is by a clock whose zone is not known here. */
  readonly hasOffset: boolean;
}

interface Owned {
  readonly id: string;
  readonly employeeId: string | null;
  /** Null where a time is missing. */
  readonly times: TimeRange | null;
}

const DAY_MS = 86_400_000;
const OFFSET = /(?:Z|[+-]\d\d:?\d\d)$/i;

/** A finish before the start is on the next day. Null for times that are missing, or in two notations. */
export function readTimes(startTime: unknown, finishTime: unknown): TimeRange | null {
  const hasOffset = OFFSET.test(String(startTime));
  if (hasOffset !== OFFSET.test(String(finishTime))) return null;
  const [from = 0, to = 0] = [startTime, finishTime].map((time) =>
    Date.parse(hasOffset ? String(time) : `${time}Z`),
  );
  return Number.isNaN(from + to) ? null : { from, to: to < from ? to + DAY_MS : to, hasOffset };
}

/**
 * Timesheets that may be there twice, each with another one: they are of one person, in whichever department, and their
 * times overlap. Those that only touch do not.
 */
export function findDoubles(timesheets: readonly Owned[]): ReadonlyMap<string, string> {
  const people = groupBy(timesheets, ({ employeeId }) => employeeId);
  people.delete(null);
  return new Map(
    [...people.values()].flatMap((own) =>
      own.flatMap((each): [string, string][] => {
        const other = own.find((another) => another !== each && overlap(each.times, another.times));
        return other === undefined ? [] : [[each.id, other.id]];
      }),
    ),
  );
}

function overlap(left: TimeRange | null, right: TimeRange | null): boolean {
  if (left === null || right === null || left.hasOffset !== right.hasOffset) return false;
  return left.from < right.to && right.from < left.to;
}
