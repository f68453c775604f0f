import type { PublishFailure } from '../commit/publish-failures.ts';
import type { RenewalProgress } from '../commit/renewal.ts';
import type { MassChange } from '../compare/mass-change.ts';
import type { FormChange } from '../compare/source-form.ts';
import type { SourceError } from '../errors.ts';
import type { BadRecord } from '../fetch/page-readings.ts';
import type { PollCoverage } from '../plan/coverage.ts';
import type { SeenPayPeriod } from '../records/pay-period.ts';

/** How the walk over the pages of a part ended. */
export type FetchOutcome = {
  readonly stage: 'fetch';
  readonly slices: readonly string[];
  /** Whether any page came. */
  readonly hasAnswered: boolean;
} & (
  | { readonly outcome: 'complete' }
  /** Its list moved while it was read, or its pages were not those that were requested. */
  | { readonly outcome: 'incomplete' }
  /** `isSplit`: its halves are fetched again, so that the failure is not held against its dates. */
  | { readonly outcome: 'failed'; readonly error: SourceError; readonly isSplit: boolean }
  /** Time ran out, which says nothing against its dates. */
  | { readonly outcome: 'out_of_time' }
  /** The list of this one date takes longer than a poll. */
  | { readonly outcome: 'too_slow' }
  /** There is more than fits into a scan: its pieces are fetched one by one. */
  | { readonly outcome: 'cut' }
);

/** What was found out after everything had failed: whether it is the dates or the source. */
export type DiagnosisOutcome = { readonly stage: 'diagnosis' } & (
  | { readonly outcome: 'readable'; readonly slice: string }
  | { readonly outcome: 'source_failed'; readonly error: SourceError }
);

/** What a scan brought, before it is compared. */
export interface ScanOutcome {
  readonly stage: 'scan';
  readonly slices: number;
  readonly records: number;
  readonly quarantined: number;
  readonly payPeriods: readonly SeenPayPeriod[] | null;
  readonly formChange: FormChange | null;
  readonly bad: readonly BadRecord[];
  /** Ids of awaited records that a complete scan read. */
  readonly readAgain: readonly string[];
  readonly reason: string | null;
}

/** What came of looking up absent records by id. */
export interface LookUpOutcome {
  readonly stage: 'look_up';
  readonly lookUps: number;
  readonly reasons: readonly string[];
  /** What ended the looking up. */
  readonly error: SourceError | null;
}

/** What comparing a scan found; of parts that were not committed only what stays true without them. */
export interface CompareOutcome {
  readonly stage: 'compare';
  readonly shrunk: ReadonlyMap<string, number>;
  readonly lingering: ReadonlySet<string>;
  readonly massChanges: readonly MassChange[];
  readonly changes: number;
  readonly changesOn: ReadonlyMap<string, number>;
  readonly sweptOn: readonly string[];
  readonly committed: readonly string[];
  readonly committedWhole: readonly string[];
  readonly completeScans: PollCoverage['completeScans'];
  /** Slices with absent records that could not be looked up: the next poll scans them first. */
  readonly unconfirmed: readonly string[];
  /** Stored pay periods that the list does not show; null when not all of the list was compared. */
  readonly unlistedPeriods: readonly SeenPayPeriod[] | null;
  /** Ids of pay periods whose closing waits for looks at their dates; null when not all of the list was compared. */
  readonly heldClosings: readonly string[] | null;
  readonly reasons: readonly string[];
}

/** Another poll committed first. */
export type ConflictOutcome = { readonly stage: 'conflict' } /** A commit of this poll was rejected. */ & (
  | { readonly outcome: 'commit_dropped' }
  /** What this poll knew of these slices is older than what the other one committed. */
  | { readonly outcome: 'superseded'; readonly slices: Iterable<string> }
  /** What was fetched of these slices is dropped, and fetched again; `reason` when that is left to the next poll. */
  | { readonly outcome: 'discarded'; readonly slices: Iterable<string>; readonly reason: string | null }
);

export const COMMIT_DROPPED: ConflictOutcome = { stage: 'conflict', outcome: 'commit_dropped' };

export interface PublishStageOutcome {
  readonly stage: 'publish';
  readonly committed: number;
  readonly published: number;
  readonly waiting: number;
  readonly failed: readonly PublishFailure[];
}

/** What was planned, and what of it was not scanned in the end. */
export type PlanOutcome = { readonly stage: 'plan' } & (
  | { readonly outcome: 'pulled'; readonly slices: readonly string[] }
  | { readonly outcome: 'ended'; readonly remaining: readonly string[]; readonly turn: number }
);

/** Which moments of open pay periods are told. */
export interface RemindOutcome {
  readonly stage: 'remind';
  /** Moments up to this instant are done, in milliseconds since 1970; null when some are left to the next poll. */
  readonly until: number | null;
  readonly reason: string | null;
}

/** Which slices of a restored table have begun their new epochs. */
interface RenewOutcome extends RenewalProgress {
  readonly stage: 'renew';
}

/** What a stage of a poll gives. */
export type StageOutcome =
  | PlanOutcome
  | FetchOutcome
  | DiagnosisOutcome
  | ScanOutcome
  | LookUpOutcome
  | CompareOutcome
  | ConflictOutcome
  | RemindOutcome
  | RenewOutcome
  | PublishStageOutcome;
