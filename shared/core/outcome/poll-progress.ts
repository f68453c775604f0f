import type { PublishFailure } from '../commit/publish-failures.ts';
import type { RenewalProgress } from '../commit/renewal.ts';
import type { MassChange } from '../compare/mass-change.ts';
import type { FormChange } from '../compare/source-form.ts';
import type { SourceError, SourceErrorCode } from '../errors.ts';
import type { BadRecord } from '../fetch/page-readings.ts';
import type { PollCoverage } from '../plan/coverage.ts';
import type { ListingFailure } from '../plan/unreadable-dates.ts';
import type { SeenPayPeriod } from '../records/pay-period.ts';

/** What happened, in numbers; requests are counted by the client of the source. */
export interface PollCounts {
  slices: number;
  records: number;
  changes: number;
  quarantined: number;
  conflicts: number;
  eventsCommitted: number;
  eventsPublished: number;
  eventsWaiting: number;
}

/**
 * What a poll knows so far: the sum of the outcomes of its stages, in the order of the stages. A slice gets from
 * attempted over fetched whole and committed to a complete scan, as docs/architecture.md defines these words.
 */
export interface PollProgress {
  /** Slices that were due because their pay period moved. */
  readonly pulled: ReadonlySet<string>;
  readonly remainingSlices: number;
  /** Which class of dates has its turn next; null when nothing was taken. */
  readonly turn: number | null;

  /** Slices whose list was requested, however that ended. */
  readonly attempted: ReadonlySet<string>;
  /** Slices whose list was read to its end, and did not move meanwhile. */
  readonly fetchedWhole: ReadonlySet<string>;
  /** Slices that failed alone, and why. */
  readonly failed: ReadonlyMap<string, ListingFailure>;
  /** Failures in a row; one without any answer counts as several. */
  readonly failures: number;
  readonly lastFailure: SourceError | null;
  /** A date that could be read when everything else had failed. */
  readonly readableDate: string | null;
  /** Whether the source gave a usable answer; null when it was not asked. */
  readonly sourceAnswered: boolean | null;
  /** What went wrong last with the source. */
  readonly errorCode: SourceErrorCode | null;
  /** The source does not accept the credential (401): a person has to act. */
  readonly credentialRejected: boolean;
  /** The source wants no more requests in this poll (429). */
  readonly throttled: boolean;

  readonly formChanges: readonly FormChange[];
  readonly bad: readonly BadRecord[];
  /** Records that were reported as bad, and that a complete scan read. */
  readonly readAgain: ReadonlySet<string>;
  /** The periods of a complete scan of pay periods, and those that it leaves out without a proof; null otherwise. */
  readonly payPeriods: readonly SeenPayPeriod[] | null;

  /** Records that were looked up by id. */
  readonly lookUps: number;
  /** Slices with more missing records than are believed at once, with their number. */
  readonly shrunk: ReadonlyMap<string, number>;
  /** Those of them that an earlier poll had noted, and this one did not see itself. */
  readonly lingering: ReadonlySet<string>;
  readonly massChanges: readonly MassChange[];
  /** Closings of pay periods that wait for looks at their dates. */
  readonly heldClosings: number;
  /** Slices of which all that a scan found was committed; the scan may have been incomplete. */
  readonly committed: ReadonlySet<string>;
  /** Slices of which all that a complete scan found was committed. */
  readonly committedWhole: ReadonlySet<string>;
  /** Those of which it is also known what became of the absent records: start of the scan, and who was not seen. */
  readonly completeScans: PollCoverage['completeScans'];
  /** Committed changes, by slice. */
  readonly changesOn: ReadonlyMap<string, number>;
  /** Dates on which payroll approved or processed records in this poll. */
  readonly sweptOn: readonly string[];

  /** Reminders up to this instant are done; null when none were planned, or some are left. */
  readonly remindedUntil: number | null;
  /** Of a restored table: the slices whose rows have begun their new epochs. */
  readonly renewed: RenewalProgress;
  readonly publishFailures: readonly PublishFailure[];
  /** Why the poll is not complete. */
  readonly reasons: ReadonlySet<string>;
  readonly counts: Readonly<PollCounts>;
}

export const NO_PROGRESS: PollProgress = {
  pulled: new Set(),
  remainingSlices: 0,
  turn: null,
  attempted: new Set(),
  fetchedWhole: new Set(),
  failed: new Map(),
  failures: 0,
  lastFailure: null,
  readableDate: null,
  sourceAnswered: null,
  errorCode: null,
  credentialRejected: false,
  throttled: false,
  formChanges: [],
  bad: [],
  readAgain: new Set(),
  payPeriods: null,
  lookUps: 0,
  shrunk: new Map(),
  lingering: new Set(),
  massChanges: [],
  heldClosings: 0,
  committed: new Set(),
  committedWhole: new Set(),
  completeScans: new Map(),
  changesOn: new Map(),
  sweptOn: [],
  remindedUntil: null,
  renewed: { slices: new Map(), next: null },
  publishFailures: [],
  reasons: new Set(),
  counts: {
    slices: 0,
    records: 0,
    changes: 0,
    quarantined: 0,
    conflicts: 0,
    eventsCommitted: 0,
    eventsPublished: 0,
    eventsWaiting: 0,
  },
};

/** Whether the source has said that no more requests are wanted in this poll. */
export function isStopped({ credentialRejected, throttled }: PollProgress): boolean {
  return credentialRejected || throttled;
}
