import type { FeedName } from '../feeds.ts';
import { showMissing } from '../records/absences.ts';
import { feedDefinition, parseRow, readStoredPeriod, toState } from '../records/feed-definition.ts';
import type { State } from '../records/fields.ts';
import type { KnownPeriod } from '../records/pay-period.ts';
import type { StoredRow } from './row.ts';

/** The watched values of a row by name, with clockings that are told as missing; null for one that was never readable. */
export function readState(feed: FeedName, { text, memory }: StoredRow): State | null {
  if (text === null) return null;
  return { ...toState(feedDefinition(feed), parseRow(text)), ...showMissing(memory?.missing ?? {}) };
}

/** A pay period as its row has it; null for one that was never readable. */
export function readKnownPeriod({
  id,
  text,
  memory,
}: Pick<StoredRow, 'id' | 'text' | 'memory'>): KnownPeriod | null {
  const state = text === null ? null : readStoredPeriod(parseRow(text));
  if (state === null) return null;
  const { calendar, startDate, finishDate, closed } = state;
  const closedBetween = closed === null ? null : (memory?.closedBetween ?? null);
  return { id, calendar, startDate, finishDate, closed: closed !== null, closedStamp: closed, closedBetween };
}
