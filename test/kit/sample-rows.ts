import type { TimesheetEvent } from 'workforce-change-notifier';
import { TIMESHEET_FIELDS } from '#shared/core/records/timesheet.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';

/** The stored row of a timesheet after each of the events of its life but the last, its removal; first, before any. */
export function rowsOfLife(events: readonly TimesheetEvent[]): StoredRow[] {
  const [created] = events;
  if (created?.epoch === undefined) throw new Error('the life has no beginning');
  const { subject: id = '', epoch } = created;
  let state: Readonly<Record<string, unknown>> = {};
  return [created, ...events.slice(0, -1)].map(({ data }, sequence) => {
    // What did not change may be left out.
    state = { ...state, ...data.current };
    const text = JSON.stringify(TIMESHEET_FIELDS.map(({ name }) => pack(state[name] ?? null)));
    return { id, epoch: Date.parse(epoch), sequence, sent: {}, text, ...remember(state) };
  });
}

function remember({ clockInMissing, clockOutMissing }: Readonly<Record<string, unknown>>) {
  const missing = {
    ...(typeof clockInMissing === 'string' ? { clockIn: Date.parse(clockInMissing) } : {}),
    ...(typeof clockOutMissing === 'string' ? { clockOut: Date.parse(clockOutMissing) } : {}),
  };
  return Object.keys(missing).length === 0 ? {} : { memory: { missing } };
}

/** Members of a stored value have places instead of names. */
function pack(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pack);
  return typeof value === 'object' && value !== null ? Object.values(value) : value;
}
