import { addDays, toLocalDate } from '#shared/core/dates.ts';
import { createHead, type Head, nameSlice, type SliceKey } from '#shared/core/snapshot/head.ts';
import type { PollRun } from './run.ts';

/** The head of a slice: one that holds nothing where nothing is known of it. */
export function findHead(key: SliceKey, run: PollRun): Head {
  const known = run.memory.heads.get(nameSlice(key));
  if (known !== undefined) return known;
  const { restoredAt } = run.memory.state;
  return { ...createHead(key), renewedAt: isBeyondRestore(key, run) ? restoredAt : null };
}

/** Of a date that no poll had reached before the table was restored, nothing was published that must be sent again. */
function isBeyondRestore({ feed, slice }: SliceKey, { memory, connection }: PollRun): boolean {
  const { restoredAt } = memory.state;
  if (restoredAt === null || feed !== 'timesheets') return false;
  return slice > addDays(toLocalDate(restoredAt, connection.timeZone), connection.window.forwardDays);
}
