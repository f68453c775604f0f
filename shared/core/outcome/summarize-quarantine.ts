import { selectQuarantined } from '../compare/source-form.ts';
import { toIso, toLocalDate } from '../dates.ts';
import { toQuarantineMark } from '../events/operations.ts';
import type { Operation } from '../records/operation.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { PollFindings } from './poll-findings.ts';

/** Bad records reported one by one on a day; beyond that only metrics count them. */
const MAX_QUARANTINE_MARKS = 200;
/** Records of which people wait to hear that they are read again; of more, the latest. */
const MAX_AWAITED = 200;
/** One that was not seen bad for so long was removed, or left the window. */
const MAX_AWAITED_MS = 40 * 86_400_000;

type Awaited = FeedState['awaited'];

type Quarantine = Pick<PollFindings, 'bad' | 'readAgain'> & { readonly now: number };

/** Bad records, once a day each, and those that are read again after they were reported. */
export function summarizeQuarantine(
  previous: Pick<FeedState, 'quarantined' | 'formChanged' | 'awaited'>,
  { bad, readAgain, now }: Quarantine,
  timeZone: string,
): {
  readonly state: Pick<FeedState, 'quarantined' | 'awaited'>;
  readonly operations: readonly Operation[];
} {
  const day = toLocalDate(now, timeZone);
  const marks = new Set(previous.quarantined.day === day ? previous.quarantined.marks : []);
  const awaited = new Map(Object.entries(previous.awaited));
  const badIds = new Set(bad.map(({ id }) => id));
  const readable = [...readAgain].filter((id) => !badIds.has(id)).flatMap((id) => takeReadable(id, awaited));
  const operations = selectQuarantined(bad, previous.formChanged).flatMap(
    ({ id, issues, isListedTwice }): Operation[] => {
      const known = id === null ? undefined : awaited.get(id);
      if (id !== null && known !== undefined) awaited.set(id, { ...known, badAt: now });
      const mark = toQuarantineMark(id, issues);
      if (marks.has(mark) || marks.size >= MAX_QUARANTINE_MARKS) return [];
      marks.add(mark);
      // A record without a usable id cannot be recognized when it is read.
      if (id !== null && !issues.includes('id')) awaited.set(id, { since: known?.since ?? now, badAt: now });
      const data = { recordId: id, issues: [...issues], ...(isListedTwice ? { listedTwice: true } : {}) };
      return [{ type: 'record.quarantined', subject: id, data }];
    },
  );
  return {
    state: { quarantined: { day, marks: [...marks] }, awaited: keepLatest(awaited, now) },
    operations: [...readable, ...operations],
  };
}

function takeReadable(id: string, awaited: Map<string, Awaited[string]>): Operation[] {
  const known = awaited.get(id);
  if (known === undefined) return [];
  awaited.delete(id);
  return [{ type: 'record.readable', subject: id, data: { recordId: id, since: toIso(known.since) } }];
}

function keepLatest(awaited: ReadonlyMap<string, Awaited[string]>, now: number): FeedState['awaited'] {
  const kept = [...awaited]
    .filter(([, { badAt }]) => now - badAt <= MAX_AWAITED_MS)
    .sort(([, a], [, b]) => b.badAt - a.badAt)
    .slice(0, MAX_AWAITED);
  return Object.fromEntries(kept);
}
