import type { LookReason } from './look-reasons.ts';

/** One reason why there is no event. */
interface ReasonEntry {
  /** Where it is decided: a file below `shared/`, and a function or class in it. */
  readonly at: `${string}.ts ${string}`;
  /** What it means, without a full stop. */
  readonly says: string;
  /** What an operator can do about it; absent where nothing is wrong, or it ends by itself. */
  readonly mend?: string;
  /** It leaves a poll complete: everything that was due was read and taken in. */
  readonly leavesComplete?: true;
}

const SEE_DOCTOR = 'see what doctor says about the source';

function ofSource(says: string, name = 'toRefusalError'): ReasonEntry {
  return { at: `adapters/workforce-api/http/failures.ts ${name}`, says, mend: SEE_DOCTOR };
}

/** Why a slice was not read, or not whole: then changes are told, and absences are not. */
const OF_LOOKS: Readonly<Record<LookReason, ReasonEntry>> = {
  source_bad_request: ofSource('the source refuses the request (400 or 422)'),
  source_unauthorised: ofSource('the source refuses the token (401)'),
  source_forbidden: ofSource('the source refuses the credential (403)'),
  source_not_found: ofSource('the source does not know the address (404)'),
  source_conflict: ofSource('the source reports a conflict (409)'),
  source_throttled: ofSource('the source wants fewer requests (429)'),
  source_failed: ofSource('the source failed (5xx)'),
  source_unreachable: ofSource('the source does not answer', 'unreachableError'),
  source_bad_response: ofSource('the source answered with something else', 'badResponseError'),
  source_redirected: ofSource('the source points to another host', 'redirectError'),
  source_too_large: ofSource('the answer of the source is too large', 'tooLargeError'),
  no_time: {
    at: 'flow/poll/look-at.ts lookAt',
    says: 'no time was left to read all of it; the next poll goes on',
  },
  drifted: {
    at: 'core/look/look.ts Looking',
    says: 'the list moved while it was read; its absences wait for the next look',
  },
  page_loop: {
    at: 'flow/poll/look-at.ts lookAt',
    says: 'many more pages came than were announced',
    mend: 'ask the operator of the source',
  },
  nameless: {
    at: 'core/look/look.ts Looking',
    says: 'a record has no id',
    mend: 'correct the record in the source',
  },
  undated: {
    at: 'core/look/look.ts Looking',
    says: 'a record does not say its date',
    mend: 'correct the record in the source',
  },
  absences_unknown: {
    at: 'flow/poll/look-up-absent.ts lookUpAbsent',
    says: 'a record that the list leaves out could not be asked for by id',
    mend: SEE_DOCTOR,
  },
  slice_failed: {
    at: 'flow/poll/read-slices.ts takeInSafely',
    says: 'what is stored of the slice cannot be read or written',
    mend: 'see the log of the function that polls',
  },
};

/** Why something that a poll saw, or should have seen, is not published by it: a poll reports those that it met. */
const OF_POLLS = {
  // Nothing was read.
  leased: { at: 'flow/poll/open.ts openPoll', says: 'another poll of the connection is under way' },
  lease_lost: { at: 'flow/poll/finish.ts reportLost', says: 'another poll of the connection has taken over' },
  table_unknown: {
    at: 'flow/poll/open.ts openPoll',
    says: 'the table does not say which one it is; nothing is read before it does',
    mend: 'see the log of the function that polls',
  },

  ...OF_LOOKS,

  // The look was whole, and something of it waits.
  baseline_open: {
    at: 'flow/poll/commit-changes.ts chooseMode',
    says: 'records that are new wait until everything was read once',
    leavesComplete: true,
  },
  doubtful: {
    at: 'core/compare/doubt.ts judge',
    says: 'much would be lost at once; a second look has to agree',
    mend: 'ask whoever works in the source whether so much was meant to go',
  },
  unlisted: {
    at: 'flow/poll/look-up-absent.ts lookUpAbsent',
    says: 'records are left out by their list though they answer by id',
    mend: 'ask the operator of the source why its list leaves them out',
    leavesComplete: true,
  },
  records_unreadable: {
    at: 'core/compare/compare.ts compareRow',
    says: 'records cannot be read; they keep their last state',
    mend: 'correct these records in the source',
    leavesComplete: true,
  },
  events_unpublishable: {
    at: 'core/definitions/check-event.ts checkEvents',
    says: 'events of records do not fit their schema; they keep their last state',
    mend: 'correct these records in the source',
    leavesComplete: true,
  },
  closing_pending: {
    at: 'period/moments.ts isClosingToWait',
    says: 'a closing waits until the dates of its pay period were read again',
    leavesComplete: true,
  },

  // It is committed, and SNS has not taken it.
  topic_refuses: {
    at: 'flow/poll/publish.ts publishItem',
    says: 'events wait for their topic to accept them',
    mend: 'see the alarm events-waiting in docs/runbook.md',
  },
  event_refused: {
    at: 'flow/poll/publish.ts publishItem',
    says: 'SNS refuses events for good',
    mend: 'see the event trouble.began of the kind publish_failed',
    leavesComplete: true,
  },
} satisfies Record<string, ReasonEntry>;

/** Why one record has no event, or no newer one, though all is well. */
const OF_RECORDS = {
  // It is not read.
  feed_unwatched: {
    at: 'config/schema/directory.ts listPublishedFeeds',
    says: 'nobody asked for events of employees and departments; they are read for their names',
    mend: 'set poll.directory to true and deploy',
  },
  overdue: {
    at: 'operator/doctor/state-checks.ts isLate',
    says: 'no poll has looked at its date or list in time',
    mend: 'see what doctor says about the polls',
  },
  outside_window: {
    at: 'core/plan/plan.ts planSlices',
    says: 'its date lies outside the watched window, so it is not read',
    mend: 'widen window of the connection and deploy',
  },
  date_dropped: {
    at: 'flow/poll/window-edge.ts dropOldDate',
    says: 'its date left the window long ago and was deleted',
  },
  unknown_record: {
    at: 'operator/explain-record.ts explainMissing',
    says: 'it is on no date and in no list that is watched',
    mend: 'look at its id and its date in the source',
  },

  // It was read, and is as before.
  unchanged: {
    at: 'core/compare/compare.ts compareRow',
    says: 'nothing of it that is watched has changed since',
  },
  between_looks: {
    at: 'core/plan/cadence.ts findCadence',
    says: 'what came and went between two looks was seen by none',
  },
  field_unwatched: {
    at: 'core/records/feed-definition.ts readRecordText',
    says: 'a field that is not watched changed',
  },
  field_new: {
    at: 'core/events/transitions.ts findChangedFields',
    says: 'the first value of a field that an update began to watch is stored without an event',
  },
  same_value: {
    at: 'core/records/values.ts readInstant',
    says: 'a value was written in another way and means the same',
  },
  ahead_of_clock: {
    at: 'core/records/values.ts dropLater',
    says: 'a time that lies days ahead has not happened yet',
    mend: 'correct the time in the source',
  },

  // It is new or gone, and that is not told.
  baseline: {
    at: 'flow/poll/commit-changes.ts chooseMode',
    says: 'it was there when its date or list was first read, which is stored without an event',
  },
  brought_by_time: {
    at: 'flow/poll/commit-changes.ts chooseMode',
    says: 'its date came into the window with time, and nothing had happened to it yet',
  },
  moved: {
    at: 'flow/poll/move-records.ts listMoves',
    says: 'it moved to another date, which is one change in place of removed and created',
  },
  never_readable: {
    at: 'core/events/events.ts toEvents',
    says: 'it could never be read, so nothing is told of it',
    mend: 'correct the record in the source',
  },
  removed: {
    at: 'flow/poll/look-up-absent.ts lookUpAbsent',
    says: 'it was removed: the source does not know its id any more',
  },
  forgotten: {
    at: 'systems/flow/forget-employee.ts forgetEmployee',
    says: 'its person was erased from what is stored',
  },
  restored: {
    at: 'flow/poll/renew.ts renewRestored',
    says: 'the table was restored, and its state was sent again in place of its events',
  },

  // Time brings it, and does not yet.
  clocking_not_awaited: {
    at: 'core/records/absences.ts judgeMissing',
    says: 'no clocking is waited for: there is leave or an approval, or it was due a day ago or before it was watched',
  },
  no_deadline: {
    at: 'period/reminders.ts findDueReminder',
    says: 'its calendar has no deadline, so nobody is reminded',
    mend: 'name it in calendars of the connection, with closesAt, and deploy',
  },
  not_settled: {
    at: 'period/moments.ts findDueMoment',
    says: 'it is settled once all of it is processed and nothing is in doubt',
  },

  // It was told.
  log_expired: {
    at: 'adapters/dynamo/log-items.ts toLogItems',
    says: 'its events are older than what was read of the log',
    mend: 'read more of it with --since; it reaches back for retentionDays of the connection',
  },
  no_receiver: { at: 'systems/filter.ts isFor', says: 'topics or filter of these leave it out' },
} satisfies Record<string, ReasonEntry>;

export type PollReason = keyof typeof OF_POLLS;
type RecordReason = keyof typeof OF_RECORDS;
export type Reason = PollReason | RecordReason;

/** Every reason that there is, in the order of the way: plan -> fetch -> compare -> commit -> publish -> deliver. */
export const REASONS: Readonly<Record<Reason, ReasonEntry>> = { ...OF_POLLS, ...OF_RECORDS };
