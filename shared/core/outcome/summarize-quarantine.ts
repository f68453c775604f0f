import { selectQuarantined } from '../compare/source-form.ts';
import { toIso, toLocalDate } from '../dates.ts';
import { toQuarantineMark } from '../events/operations.ts';
import type { Operation } from '../records/operation.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { PollProgress } from './poll-progress.ts';

/** Bad records reported one by one on a day; beyond that only metrics count them. */
const MAX_QUARANTINE_MARKS = 200;
/** Records of which people wait to hear that they are read again; of more, the latest. */
const MAX_AWAITED = 200;
/** One that was not seen bad for so long was removed, or left the window. */
const MAX_AWAITED_MS = 40 * 86_400_000;

type Awaited = NonNullable<FeedState['awaited']>;

/** Bad records, once a day each, and those that are read again after they were reported. */
export function summarizeQuarantine(
  previous: Pick<FeedState, 'quarantined' | 'formChanged' | 'awaited'>,
  { bad, readAgain, now }: Pick<PollProgress, 'bad' | 'readAgain'> & { readonly now: number },
  timeZone: string,
): {
  readonly state: Pick<FeedState, 'quarantined' | 'awaited'>;
  readonly operations: readonly Operation[];
} {
  const day = toLocalDate(now, timeZone);
  const marks = new Set(previous.quarantined.day === day ? previous.quarantined.marks : []);
  const awaited = new Map(Object.entries(previous.awaited ?? {}));
  const operations: Operation[] = [];
  const isBad = new Set(bad.map(({ id }) => id));
  for (const id of readAgain) {
    const known = awaited.get(id);
    if (known === undefined || isBad.has(id)) continue;
    awaited.delete(id);
    const since = toIso(known.since);
    operations.push({ type: 'record.readable', subject: id, data: { recordId: id, since } });
  }
  for (const { id, issues } of selectQuarantined(bad, previous.formChanged)) {
    const known = id === null ? undefined : awaited.get(id);
    if (id !== null && known !== undefined) awaited.set(id, { ...known, badAt: now });
    const mark = toQuarantineMark(id, issues);
    if (marks.has(mark) || marks.size >= MAX_QUARANTINE_MARKS) continue;
    marks.add(mark);
    // A record without a usable id cannot be recognized when it is read.
    if (id !== null && !issues.includes('id')) awaited.set(id, { since: known?.since ?? now, badAt: now });
    operations.push({ type: 'record.quarantined', subject: id, data: { recordId: id, issues: [...issues] } });
  }
  return { state: { quarantined: { day, marks: [...marks] }, ...keepLatest(awaited, now) }, operations };
}

function keepLatest(awaited: ReadonlyMap<string, Awaited[string]>, now: number): Pick<FeedState, 'awaited'> {
  const kept = [...awaited]
    .filter(([, { badAt }]) => now - badAt <= MAX_AWAITED_MS)
    .sort(([, a], [, b]) => b.badAt - a.badAt)
    .slice(0, MAX_AWAITED);
  return kept.length === 0 ? {} : { awaited: Object.fromEntries(kept) };
}
