import type { PublishFailure } from '../commit/publish-failures.ts';
import type { LossReport, MassChange } from '../compare/mass-change.ts';
import type { FormChange } from '../compare/source-form.ts';
import type { SourceError, SourceErrorCode } from '../errors.ts';
import type { BadRecord } from '../fetch/scan.ts';
import type { PollCoverage } from '../plan/coverage.ts';
import type { ListingFailure } from '../plan/unreadable-dates.ts';
import type { PayPeriodHint } from '../records/pay-period.ts';

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

/** What a poll knows so far: the sum of the outcomes of its stages. */
export interface PollProgress {
  /** Slices that were seen whole: start of the scan, and records that could not be read. */
  readonly looks: PollCoverage['looks'];
  /** Slices that were scanned, whether they were seen whole or not. */
  readonly tried: ReadonlySet<string>;
  /** Slices whose list was read to its end. */
  readonly listed: ReadonlySet<string>;
  /** Slices that failed alone, and why. */
  readonly failed: ReadonlyMap<string, ListingFailure>;
  /** Failures in a row; one without any answer counts as several. */
  readonly failures: number;
  readonly lastFailure: SourceError | null;
  /** A date that could be read when everything else had failed. */
  readonly readable: string | null;
  /** Whether the source gave a usable answer; null when it was not asked. */
  readonly sourceAnswered: boolean | null;
  /** What went wrong last with the source. */
  readonly errorCode: SourceErrorCode | null;
  /** The credential is refused. */
  readonly refused: boolean;
  /** The source wants no more requests now. */
  readonly mustStop: boolean;
  /** Records that were looked up by id. */
  readonly lookUps: number;
  /** Slices scanned because their pay period moved. */
  readonly pulled: ReadonlySet<string>;
  readonly remainingSlices: number;
  /** Which class of dates has its turn next; null when nothing was taken. */
  readonly turn: number | null;
  /** Slices with more missing records than are believed at once, with their number. */
  readonly shrunk: ReadonlyMap<string, number>;
  /** Those of them that an earlier poll had noted, and this one did not see itself. */
  readonly lingering: ReadonlySet<string>;
  /** Slices that were compared in complete scans. */
  readonly compared: ReadonlySet<string>;
  /** Slices of which a scan, complete or not, was committed with all it found. */
  readonly looked: ReadonlySet<string>;
  readonly massChanges: readonly MassChange[];
  readonly lossesTold: LossReport['told'];
  readonly formChanges: readonly FormChange[];
  readonly bad: readonly BadRecord[];
  /** The periods of a complete scan of pay periods; null otherwise. */
  readonly payPeriods: readonly PayPeriodHint[] | null;
  /** Dates on which payroll approved or processed records in this poll. */
  readonly sweptOn: readonly string[];
  /** Committed changes, by slice. */
  readonly changesOn: ReadonlyMap<string, number>;
  readonly publishFailures: readonly PublishFailure[];
  /** Why the poll is not complete. */
  readonly reasons: ReadonlySet<string>;
  readonly counts: Readonly<PollCounts>;
}

export const NO_PROGRESS: PollProgress = {
  looks: new Map(),
  tried: new Set(),
  listed: new Set(),
  failed: new Map(),
  failures: 0,
  lastFailure: null,
  readable: null,
  sourceAnswered: null,
  errorCode: null,
  refused: false,
  mustStop: false,
  lookUps: 0,
  pulled: new Set(),
  remainingSlices: 0,
  turn: null,
  shrunk: new Map(),
  lingering: new Set(),
  compared: new Set(),
  looked: new Set(),
  massChanges: [],
  lossesTold: [],
  formChanges: [],
  bad: [],
  payPeriods: null,
  sweptOn: [],
  changesOn: new Map(),
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
