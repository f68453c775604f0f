import type { TimesheetEvent } from 'workforce-change-notifier';
import { TIMESHEET_FIELDS } from '#shared/core/records/timesheet.ts';
import type { LeafRow, Tombstone } from '#shared/core/snapshot/snapshot.ts';

/** The stored row of a timesheet after each of the events of its life but the last, its removal; first, before any. */
export function rowsOfLife(
  events: readonly TimesheetEvent[],
): { readonly row: LeafRow; readonly tombstone: Tombstone }[] {
  const [created] = events;
  if (created?.epoch === undefined) throw new Error('the life has no beginning');
  const { subject: id = '', epoch: began } = created;
  const epoch = Date.parse(began);
  let state: Readonly<Record<string, unknown>> = {};
  return [created, ...events.slice(0, -1)].map(({ data }, sequence) => {
    // What did not change may be left out.
    state = { ...state, ...data.current };
    const row = {
      id,
      state: TIMESHEET_FIELDS.map(({ name }) => pack(state[name])),
      sequence,
      sent: {},
      epoch,
    };
    return { row, tombstone: { id, sequence, epoch, removedAt: epoch } };
  });
}

/** Members of a stored value have places instead of names. */
function pack(value: unknown): LeafRow['state'][number] {
  if (Array.isArray(value)) return value.map(pack);
  if (typeof value === 'object' && value !== null) return Object.values(value);
  return (value ?? null) as string | number | boolean | null;
}
