import type { PublishFailure } from '../commit/outbox.ts';
import type { RenewalProgress } from '../commit/renewal.ts';
import type { MassChange } from '../compare/mass-change.ts';
import type { FormChange } from '../compare/source-form.ts';
import type { SourceError, SourceErrorCode } from '../errors.ts';
import type { Misfit } from '../events/events.ts';
import type { BadRecord } from '../fetch/scan.ts';
import type { PollCoverage } from '../plan/coverage.ts';
import type { ListingFailure } from '../plan/unreadable-dates.ts';
import { WHOLE_LIST } from '../records/feed-definition.ts';
import type { SeenPayPeriod } from '../records/pay-period.ts';
import type { WalkOutcome } from './judge-walk.ts';
import type { ComparisonFindings, ScanFindings } from './summarize-scan.ts';

/**
 * What a poll has learned so far, stage by stage; the functions below add to it, and nothing else changes it. A slice
 * gets from attempted over fetched whole and committed to a complete scan, as docs/architecture.md defines these words.
 */
export class PollFindings {
  /** Slices that were due because their pay period moved. */
  pulled: ReadonlySet<string> = new Set();
  remainingSlices = 0;
  /** Where the rotation of the classes of dates continues; null when nothing was taken. */
  rotation: number | null = null;

  /** Slices whose list was requested, however that ended. */
  attempted: ReadonlySet<string> = new Set();
  /** Slices whose list was read to its end, and did not move meanwhile. */
  fetchedWhole: ReadonlySet<string> = new Set();
  /** Slices that failed alone, and why. */
  failed: ReadonlyMap<string, ListingFailure> = new Map();
  /** Failures in a row; one without any answer counts as several. */
  failures = 0;
  lastFailure: SourceError | null = null;
  /** A date that could be read when everything else had failed. */
  readableDate: string | null = null;
  /** Whether the source gave a usable answer; null when it was not asked. */
  sourceAnswered: boolean | null = null;
  /** What went wrong last with the source. */
  errorCode: SourceErrorCode | null = null;
  /** The source does not accept the credential (401): a person has to act. */
  credentialRejected = false;
  /** The source wants no more requests in this poll (429). */
  throttled = false;

  formChanges: readonly FormChange[] = [];
  bad: readonly BadRecord[] = [];
  /** Records that were bad before, and that a complete scan read. */
  readAgain: ReadonlySet<string> = new Set();
  /** The periods of a complete scan of pay periods, and those that it leaves out without a proof; null otherwise. */
  payPeriods: readonly SeenPayPeriod[] | null = null;
  /** The periods that an incomplete scan showed, all of which is committed. */
  shownPeriods: readonly SeenPayPeriod[] = [];

  /** Records that were looked up by id. */
  lookUps = 0;
  /** Slices with more missing records than are believed at once, with their number. */
  shrunk: ReadonlyMap<string, number> = new Map();
  /** Those of them that an earlier poll had noted, and this one did not see itself. */
  lingering: ReadonlySet<string> = new Set();
  massChanges: readonly MassChange[] = [];
  /** Closings of pay periods that wait for looks at their dates. */
  heldClosings = 0;
  /** Slices of which all that a scan found was committed; the scan may have been incomplete. */
  committed: ReadonlySet<string> = new Set();
  /** Slices of which all that a complete scan found was committed. */
  committedWhole: ReadonlySet<string> = new Set();
  /** Those of which it is also known what became of the absent records: start of the scan, and who was not seen. */
  completeScans: PollCoverage['completeScans'] = new Map();
  /** Committed changes, by slice. */
  changesOn: ReadonlyMap<string, number> = new Map();
  /** Dates on which payroll approved or processed records in this poll. */
  sweptOn: readonly string[] = [];

  /** Reminders up to this instant are done; null when none were planned, or some are left. */
  remindedUntil: number | null = null;
  /** Of a restored table: the slices whose rows have begun their new epochs. */
  renewed: RenewalProgress = { slices: new Map(), next: null };
  publishFailures: readonly PublishFailure[] = [];
  /** Why the poll is not complete. */
  reasons: ReadonlySet<string> = new Set();
  /** What happened, in numbers; requests are counted by the client of the source. */
  readonly counts = {
    slices: 0,
    records: 0,
    changes: 0,
    quarantined: 0,
    conflicts: 0,
    eventsCommitted: 0,
    eventsPublished: 0,
    eventsWaiting: 0,
  };

  /** Whether the source has said that no more requests are wanted in this poll. */
  get isStopped(): boolean {
    return this.credentialRejected || this.throttled;
  }
}

/** Slices that are due because their pay period moved. */
export function addPulled(findings: PollFindings, slices: readonly string[]): void {
  findings.pulled = union(findings.pulled, slices);
}

/** What was planned and not scanned in the end. Not retried individually: it goes first in the next poll. */
export function addRemaining(
  findings: PollFindings,
  { remaining, rotation }: { readonly remaining: readonly string[]; readonly rotation: number },
): void {
  findings.attempted = without(findings.attempted, remaining);
  findings.remainingSlices += remaining.filter((slice) => !findings.completeScans.has(slice)).length;
  findings.rotation = rotation;
}

/** How the walk over the pages of a part ended. */
export function addWalk(findings: PollFindings, outcome: WalkOutcome): void {
  const { slices, hasAnswered } = outcome;
  if (hasAnswered) findings.sourceAnswered = true;
  switch (outcome.outcome) {
    case 'complete':
      findings.attempted = union(findings.attempted, slices);
      findings.fetchedWhole = union(findings.fetchedWhole, slices);
      findings.failures = 0;
      return;
    case 'incomplete':
      findings.attempted = union(findings.attempted, slices);
      return;
    case 'out_of_time':
    case 'cut':
      return;
    case 'too_slow':
      addFailed(findings, slices, 'list_too_slow');
      return;
    case 'failed':
      findings.attempted = union(findings.attempted, slices);
      addWalkFailure(findings, outcome);
  }
}

/** Failures that count as several: a timeout is slow, and 403 usually applies to everything. */
const FAILURE_WEIGHTS: Partial<Record<SourceErrorCode, number>> = {
  source_unreachable: 3,
  source_forbidden: 2,
};

function addWalkFailure(
  findings: PollFindings,
  { slices, error, isSplit }: Extract<WalkOutcome, { outcome: 'failed' }>,
): void {
  findings.sourceAnswered ??= false;
  addSourceError(findings, error);
  if (findings.isStopped) return;
  findings.failures += FAILURE_WEIGHTS[error.code] ?? 1;
  findings.lastFailure = error;
  if (!isSplit) addFailed(findings, slices, error.code);
}

function addFailed(findings: PollFindings, slices: readonly string[], why: ListingFailure): void {
  findings.failed = new Map([...findings.failed, ...slices.map((slice) => [slice, why] as const)]);
}

function addSourceError(findings: PollFindings, { code }: SourceError): void {
  findings.errorCode = code;
  findings.credentialRejected ||= code === 'source_unauthorised';
  findings.throttled ||= code === 'source_throttled';
}

/** What was found out after everything had failed: a date that could be read, or that the source failed as a whole. */
export function addDiagnosis(
  findings: PollFindings,
  { error, readableDate }: { readonly error: SourceError | null; readonly readableDate: string | null },
): void {
  if (error === null) {
    findings.sourceAnswered = true;
    findings.readableDate = readableDate;
    return;
  }
  // The failures of single dates say nothing then.
  findings.failed = new Map();
  findings.attempted = new Set([...findings.attempted].filter((slice) => findings.fetchedWhole.has(slice)));
  addReason(findings, error.message);
  findings.errorCode = error.code;
  findings.credentialRejected = error.credentialRejected;
}

/** What a scan brought, before it is compared. */
export function addScan(findings: PollFindings, scan: ScanFindings): void {
  const { slices, records, quarantined } = scan;
  findings.payPeriods = scan.payPeriods ?? findings.payPeriods;
  findings.shownPeriods = scan.shownPeriods;
  if (scan.formChange !== null) findings.formChanges = [...findings.formChanges, scan.formChange];
  findings.bad = [...findings.bad, ...scan.bad];
  findings.readAgain = union(findings.readAgain, scan.readAgain);
  addReason(findings, scan.reason);
  count(findings, { slices, records, quarantined });
}

/** Records that were left out of a commit. */
export function addMisfits(findings: PollFindings, misfits: readonly Misfit[]): void {
  findings.bad = [...findings.bad, ...misfits.map(({ change: { id }, issues }) => ({ id, issues }))];
  count(findings, { quarantined: misfits.length });
}

/** What came of looking up absent records by id. */
export interface LookUps {
  readonly lookUps: number;
  readonly reasons: readonly string[];
  /** What ended the looking up. */
  readonly error: SourceError | null;
}

export function addLookUps(findings: PollFindings, { lookUps, reasons, error }: LookUps): void {
  findings.lookUps += lookUps;
  for (const reason of reasons) addReason(findings, reason);
  if (error !== null) addSourceError(findings, error);
}

/** What comparing a scan found. */
export function addComparison(findings: PollFindings, compared: ComparisonFindings): void {
  const changesOn = new Map(findings.changesOn);
  for (const [slice, changes] of compared.changesOn)
    changesOn.set(slice, (changesOn.get(slice) ?? 0) + changes);
  findings.changesOn = changesOn;
  findings.shrunk = new Map([...findings.shrunk, ...compared.shrunk]);
  findings.lingering = union(without(findings.lingering, compared.shrunk.keys()), compared.lingering);
  findings.massChanges = [...findings.massChanges, ...compared.massChanges];
  findings.sweptOn = [...findings.sweptOn, ...compared.sweptOn];
  findings.committed = union(findings.committed, compared.committed);
  findings.committedWhole = union(findings.committedWhole, compared.committedWhole);
  findings.completeScans = new Map([...findings.completeScans, ...compared.completeScans]);
  findings.attempted = without(findings.attempted, compared.unconfirmed);
  findings.payPeriods = followRows(findings.payPeriods, compared);
  findings.shownPeriods =
    compared.heldClosings === null ? [] : markHeld(findings.shownPeriods, compared.heldClosings);
  findings.heldClosings = compared.heldClosings?.length ?? findings.heldClosings;
  for (const reason of compared.reasons) addReason(findings, reason);
  count(findings, { changes: compared.changes });
}

/** The periods that the list shows, and of the others those that are stored: a list proves no removal (rule 6). */
function followRows(
  seen: PollFindings['payPeriods'],
  { unlistedPeriods: unlisted, heldClosings: held }: ComparisonFindings,
): PollFindings['payPeriods'] {
  if (seen === null) return seen;
  // What an incomplete list held back says nothing of periods that it did not show.
  if (unlisted === null) return seen;
  const marked = held === null ? seen : markHeld(seen, held);
  const listed = marked.filter(({ look }) => look !== undefined);
  const ids = new Set(listed.map(({ id }) => id));
  const before = new Map(seen.map((each) => [each.id, each]));
  const others = unlisted
    .filter(({ id }) => !ids.has(id))
    .flatMap(({ hint, ...marks }) => {
      if (hint !== null) return [{ ...hint, ...marks }];
      // Of a row that cannot be read the feed goes on knowing what it knew, a closing that it holds with it.
      const known = before.get(marks.id);
      return known === undefined ? [] : [known];
    });
  return [...listed, ...others];
}

function markHeld(seen: readonly SeenPayPeriod[], held: readonly string[]): readonly SeenPayPeriod[] {
  return seen.map((each) => ({ ...each, isClosingHeld: held.includes(each.id) }));
}

/** Another poll committed first: a commit of this one was rejected. */
export function addDroppedCommit(findings: PollFindings): void {
  count(findings, { conflicts: 1 });
}

/** What this poll knew of these slices may be older than what another one committed: hints follow the rows. */
export function addSuperseded(findings: PollFindings, slices: ReadonlySet<string>): void {
  if (slices.has(WHOLE_LIST)) {
    findings.payPeriods = null;
    findings.shownPeriods = [];
  }
  findings.completeScans = new Map([...findings.completeScans].filter(([slice]) => !slices.has(slice)));
  findings.attempted = without(findings.attempted, slices);
}

/** What was fetched of these slices is dropped, and fetched again; `reason` when that is left to the next poll. */
export function addDiscarded(
  findings: PollFindings,
  { slices, reason }: { readonly slices: Iterable<string>; readonly reason: string | null },
): void {
  findings.attempted = without(findings.attempted, slices);
  addReason(findings, reason);
}

/** Reminders up to an instant are published; null when some are left to the next poll. */
export function addReminders(
  findings: PollFindings,
  { until, reason }: { readonly until: number | null; readonly reason: string | null },
): void {
  findings.remindedUntil = until;
  addReason(findings, reason);
}

/** Which slices of a restored table have begun their new epochs. */
export function addRenewal(findings: PollFindings, renewed: RenewalProgress): void {
  findings.renewed = renewed;
}

/** Numbers of events, and what can never be published. */
export interface PublishFindings {
  readonly committed: number;
  readonly published: number;
  readonly waiting: number;
  readonly failed: readonly PublishFailure[];
}

export function addPublished(
  findings: PollFindings,
  { committed, published, waiting, failed }: PublishFindings,
): void {
  findings.publishFailures = [...findings.publishFailures, ...failed];
  count(findings, { eventsCommitted: committed, eventsPublished: published, eventsWaiting: waiting });
}

function addReason(findings: PollFindings, reason: string | null): void {
  if (reason !== null) findings.reasons = union(findings.reasons, [reason]);
}

function count({ counts }: PollFindings, more: Partial<PollFindings['counts']>): void {
  for (const [name, number] of Object.entries(more) as [keyof typeof counts, number][])
    counts[name] += number;
}

function union(set: ReadonlySet<string>, more: Iterable<string>): ReadonlySet<string> {
  return new Set([...set, ...more]);
}

function without(set: ReadonlySet<string>, gone: Iterable<string>): ReadonlySet<string> {
  const kept = new Set(set);
  for (const each of gone) kept.delete(each);
  return kept;
}
