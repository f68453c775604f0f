import type { SourceErrorCode } from '../errors.ts';

/** Why something that a poll saw, or should have seen, is not published by it. */
export type Reason =
  | SourceErrorCode
  | 'drifted'
  | 'page_loop'
  | 'nameless'
  | 'undated'
  | 'no_time'
  | 'absences_unknown'
  | 'slice_failed'
  | 'baseline_open'
  | 'doubtful'
  | 'records_unreadable'
  | 'events_unpublishable'
  | 'closing_pending'
  | 'unlisted'
  | 'topic_refuses'
  | 'event_refused'
  | 'leased'
  | 'lease_lost'
  | 'table_unknown';

/** In one sentence each: every reason that there is. */
export const REASONS: Readonly<Record<Reason, string>> = {
  // The slice was not read.
  leased: 'another poll of the connection is under way',
  lease_lost: 'another poll of the connection has taken over',
  table_unknown: 'the table does not say which one it is; nothing is read before it does',
  no_time: 'no time was left to read all of it; the next poll goes on',
  source_bad_request: 'the source refuses the request (400 or 422)',
  source_unauthorised: 'the source refuses the token (401)',
  source_forbidden: 'the source refuses the credential (403)',
  source_not_found: 'the source does not know the address (404)',
  source_conflict: 'the source reports a conflict (409)',
  source_throttled: 'the source wants fewer requests (429)',
  source_failed: 'the source failed (5xx)',
  source_unreachable: 'the source does not answer',
  source_bad_response: 'the source answered with something else',
  source_redirected: 'the source points to another host',
  source_too_large: 'the answer of the source is too large',
  // The look was not complete: changes are told, absences are not.
  drifted: 'the list moved while it was read; its absences wait for the next look',
  page_loop: 'many more pages came than were announced',
  nameless: 'a record has no id',
  undated: 'a record does not say its date',
  absences_unknown: 'a record that the list leaves out could not be asked for by id',
  slice_failed: 'what is stored of the slice cannot be read or written',
  // The look was complete, and something of it waits.
  baseline_open: 'records that are new wait until everything was read once',
  doubtful: 'much would be lost at once; a second look has to agree',
  unlisted: 'records are left out by their list though they answer by id',
  records_unreadable: 'records cannot be read; they keep their last state',
  events_unpublishable: 'events of records do not fit their schema; they keep their last state',
  closing_pending: 'a closing waits until the dates of its pay period were read again',
  // It is committed, and SNS has not taken it.
  topic_refuses: 'events wait for their topic to accept them',
  event_refused: 'SNS refuses events for good',
};

/** Reasons that are told as what they are, and leave a poll complete: everything that was due was read and taken in. */
const LEAVES_COMPLETE: ReadonlySet<Reason> = new Set([
  'baseline_open',
  'closing_pending',
  'event_refused',
  'events_unpublishable',
  'records_unreadable',
  'unlisted',
]);

export function leavesComplete(reason: Reason): boolean {
  return LEAVES_COMPLETE.has(reason);
}
