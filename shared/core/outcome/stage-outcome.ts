import type { PublishFailure } from '../commit/publish-failures.ts';
import type { LossReport, MassChange } from '../compare/mass-change.ts';
import type { FormChange } from '../compare/source-form.ts';
import type { SourceError } from '../errors.ts';
import type { BadRecord } from '../fetch/scan.ts';
import type { PollCoverage } from '../plan/coverage.ts';
import type { PayPeriodHint } from '../records/pay-period.ts';

/** How the walk over the pages of a part ended. */
export type FetchOutcome = {
  readonly stage: 'fetch';
  readonly slices: readonly string[];
  /** Whether any page came. */
  readonly hasAnswered: boolean;
} & (
  | { readonly outcome: 'listed' }
  /** `isSplit`: its halves are fetched again, so that the failure is not held against its dates. */
  | { readonly outcome: 'failed'; readonly error: SourceError; readonly isSplit: boolean }
  /** Time ran out. `hadWholePoll`: the list of this one date takes longer than a poll. */
  | { readonly outcome: 'abandoned'; readonly hadWholePoll: boolean }
  /** Its list moved while it was read, or its pages were not those that were asked for. */
  | { readonly outcome: 'incomplete' }
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
  readonly payPeriods: readonly PayPeriodHint[] | null;
  readonly formChange: FormChange | null;
  readonly bad: readonly BadRecord[];
  readonly reason: string | null;
}

/** What came of looking up absent records by id. */
export interface LookUpOutcome {
  readonly stage: 'look_up';
  readonly lookUps: number;
  readonly reasons: readonly string[];
  /** What ended the asking. */
  readonly error: SourceError | null;
}

/** What comparing a scan found; of parts that were not committed only what stays true without them. */
export interface CompareOutcome {
  readonly stage: 'compare';
  readonly shrunk: ReadonlyMap<string, number>;
  readonly lingering: ReadonlySet<string>;
  readonly massChanges: readonly MassChange[];
  readonly lossesTold: LossReport['told'];
  readonly changes: number;
  readonly changesOn: ReadonlyMap<string, number>;
  readonly sweptOn: readonly string[];
  readonly looked: readonly string[];
  readonly compared: readonly string[];
  readonly looks: PollCoverage['looks'];
  /** Slices that the next poll scans first. */
  readonly untried: readonly string[];
  readonly reasons: readonly string[];
}

/** Another poll committed first. */
export type ConflictOutcome = { readonly stage: 'commit' } & (
  | { readonly outcome: 'conflict' }
  /** What this poll saw of these slices was compared with what was known before. */
  | { readonly outcome: 'moved'; readonly slices: Iterable<string> }
  /** What was fetched of these slices is left to a later scan; `reason` when that is the next poll's. */
  | { readonly outcome: 'lost'; readonly slices: Iterable<string>; readonly reason: string | null }
);

/** Another poll committed first, and what this one had is dropped. */
export const CONFLICT: ConflictOutcome = { stage: 'commit', outcome: 'conflict' };

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
  | { readonly outcome: 'worked_off'; readonly remaining: readonly string[]; readonly turn: number }
);

/** What a stage of a poll gives. */
export type StageOutcome =
  | PlanOutcome
  | FetchOutcome
  | DiagnosisOutcome
  | ScanOutcome
  | LookUpOutcome
  | CompareOutcome
  | ConflictOutcome
  | PublishStageOutcome;
