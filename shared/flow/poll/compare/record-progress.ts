import type { Comparison, RemovalCheck } from '#shared/core/compare/change.ts';
import type { ClassifiedRecords } from '#shared/core/compare/classify-records.ts';
import type { MassChange } from '#shared/core/compare/mass-change.ts';
import type { GuardedAbsences } from '#shared/core/compare/mass-deletion-guard.ts';
import { describeFormChange, type FormCheck } from '#shared/core/compare/source-form.ts';
import type { SourceError } from '#shared/core/errors.ts';
import type { ChangeEvents } from '#shared/core/events/events.ts';
import { isComplete, type Scan } from '#shared/core/fetch/scan.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import type { PollRun } from '../poll-run.ts';
import type { Survey } from './survey-scan.ts';

/** Notes what a scan brought, for the report and for the feed's state. */
export function recordScan(scan: Scan, form: FormCheck, { tally, feed }: PollRun): void {
  tally.counts.slices += scan.slices.size;
  tally.counts.records += scan.records.size;
  tally.counts.quarantined += form.invalid.size + scan.unplaced.length;
  if (feed.feed === 'pay-periods' && isComplete(scan)) tally.payPeriods = [...scan.payPeriods];
  if (form.change !== null) {
    tally.formChanges.push(form.change);
    tally.reasons.add(describeFormChange(form.change));
    return;
  }
  tally.bad.push(...scan.unplaced, ...form.invalid.values());
  if (!isComplete(scan) && !scan.isRetried) tally.reasons.add(describeIncompleteScan(scan));
}

/** A refused credential is not the fault of what was asked for. */
function describeFailure(where: string, error: SourceError | null): string {
  const message = error?.message ?? 'the source failed';
  return error?.refused === true || where === WHOLE_LIST ? message : `${where} cannot be read: ${message}`;
}

function describeIncompleteScan({ end, slices }: Scan): string {
  const where = slices.size === 1 ? [...slices].join('') : `${[...slices][0]} to ${[...slices].at(-1)}`;
  switch (end?.problem) {
    case 'source_error':
      return describeFailure(where, end.error);
    case 'drifted':
      return `the list of ${where} moved while it was read; the next poll reads it again`;
    case 'page_loop':
      return `the pages of ${where} lead back to pages already read, or there are more than announced`;
    case 'wrong_page':
      return `the pages of ${where} do not come in the order that was asked for`;
    default:
      return `the time for this poll ended within ${where}; the next poll goes on from there`;
  }
}

/** Times that a record was asked for by id, over some minutes, after which its list is known to leave it out. */
const SETTLED_LOOK_UPS = 4;

/** What the comparison of one part of a scan found. */
export interface ComparedPart {
  readonly classified: ClassifiedRecords;
  readonly answers: ReadonlyMap<string, RemovalCheck>;
  readonly comparison: Comparison;
  readonly told: readonly ChangeEvents[];
  readonly committed: boolean;
}

interface ComparedScan {
  readonly scan: Scan;
  readonly survey: Survey;
  readonly deletionGuard: GuardedAbsences;
  readonly massChanges: readonly MassChange[];
}

/** Notes what a scan's comparison found, part by part. A look counts only when all it found was committed. */
export class ProgressRecorder {
  /** Slices of which absent records could not be asked for yet: the next poll looks there first. */
  readonly #unproven = new Set<string>();
  /** Per slice: who of it was there, or may be, and could not be read; with when each was seen last. */
  readonly unseen = new Map<string, Record<string, number | null>>();
  readonly #looked: ComparedScan;
  readonly #run: PollRun;

  constructor(looked: ComparedScan, run: PollRun) {
    this.#looked = looked;
    this.#run = run;
    for (const [slice, missing] of looked.deletionGuard.shrunk) {
      run.tally.shrunk.set(slice, missing);
      if (looked.deletionGuard.lingering.has(slice)) run.tally.lingering.add(slice);
      else run.tally.lingering.delete(slice);
    }
    const held = looked.massChanges.filter(({ isConfirmed }) => !isConfirmed);
    run.tally.massChanges.push(...held);
    for (const { slice, field, records } of held) {
      run.tally.reasons.add(
        `${records} records of ${slice} lost ${field} at once; a second look must show it again`,
      );
    }
  }

  add(part: ComparedPart): void {
    const { comparison, told, committed } = part;
    const { tally } = this.#run;
    for (const [slice, ids] of comparison.unseen) {
      this.unseen.set(slice, { ...this.unseen.get(slice), ...ids });
    }
    recordContradictions(part, tally.reasons);
    const unproven = findUnprovenSlices(part);
    const { toConfirm } = this.#looked.deletionGuard;
    for (const slice of unproven)
      if (toConfirm.some((each) => each.slice === slice)) this.#unproven.add(slice);
    if (unproven.length > 0)
      tally.reasons.add(`some absent records of ${unproven.join(', ')} could not be asked for yet`);
    if (!committed) return;
    tally.counts.changes += told.filter(({ texts }) => texts.length > 0).length;
    tally.sweptOn.push(...findSweptDates(told));
    countChanges(comparison, tally.changesOn);
  }

  /** All parts are committed. */
  conclude(): void {
    const { scan, deletionGuard, massChanges, survey } = this.#looked;
    const { tally, ports } = this.#run;
    const heldSlices = [...deletionGuard.shrunk.keys()].filter((slice) => this.unseen.has(slice));
    if (heldSlices.length > 0) {
      tally.reasons.add(`more records of ${heldSlices.join(', ')} vanished at once than is believed`);
    }
    const at = scan.startedAt ?? ports.clock.now();
    tally.massChanges.push(...massChanges.filter(({ isConfirmed }) => isConfirmed));
    for (const slice of scan.slices) tally.looked.add(slice);
    const isHeld = (slice: string, field: string) =>
      massChanges.some((each) => each.slice === slice && each.field === field);
    for (const [slice, fields] of survey.losses) {
      for (const [field, records] of fields) {
        if (!isHeld(slice, field)) tally.lossesTold.push({ slice, field, records, at });
      }
    }
    if (!isComplete(scan)) return;
    for (const slice of scan.slices) {
      tally.compared.add(slice);
      if (this.#unproven.has(slice)) {
        tally.tried.delete(slice);
        continue;
      }
      tally.looks.set(slice, { at, unseen: this.unseen.get(slice) ?? {} });
    }
  }
}

/**
 * A record that its list left out although it is there: the list cannot be taken for whole, until it has left it out
 * for so long that this is how the list is.
 */
function recordContradictions({ classified, answers }: ComparedPart, reasons: Set<string>): void {
  const news = classified.absent.filter(({ row }) => (row.unlisted?.asks ?? 0) < SETTLED_LOOK_UPS);
  const contradicted = news.filter(({ slice, row }) => {
    const answer = answers.get(row.id);
    return answer?.outcome === 'found' ? answer.record.slice === slice : row.unlisted !== undefined;
  });
  if (contradicted.length > 0) {
    reasons.add(`the list left out ${contradicted.length} records that the source still has`);
  }
}

function findUnprovenSlices({ classified, answers, comparison }: ComparedPart): readonly string[] {
  return [...comparison.unseen.keys()].filter((slice) =>
    classified.absent.some(
      ({ slice: its, row }) => its === slice && row.unlisted === undefined && !answers.has(row.id),
    ),
  );
}

/** Payroll goes over a whole pay period at a time: where it was, it comes again. */
function findSweptDates(told: readonly ChangeEvents[]): string[] {
  return told.flatMap(({ change, types }) =>
    change.after !== null && types.some((type) => SWEEP_EVENT_TYPES.has(type)) ? [change.after.slice] : [],
  );
}

const SWEEP_EVENT_TYPES: ReadonlySet<string> = new Set(['timesheet.payroll_approved', 'timesheet.processed']);

function countChanges({ changes }: Comparison, changesOn: Map<string, number>): void {
  for (const { after, rowSlice, silent } of changes) {
    const slice = after?.slice ?? rowSlice;
    if (slice !== null && silent !== true) changesOn.set(slice, (changesOn.get(slice) ?? 0) + 1);
  }
}
