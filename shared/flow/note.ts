import type { Answer, Comparison } from '../core/compare.ts';
import type { Doubt } from '../core/doubt.ts';
import type { ToldChange } from '../core/events.ts';
import type { OpenQuestions } from '../core/questions.ts';
import { isComplete, type Scan } from '../core/scan.ts';
import type { Run } from './run.ts';

/** Notes what a scan brought, for the report and for the feed's state. */
export function noteScan(scan: Scan, { tally, feed }: Run): void {
  tally.counts.slices += scan.slices.size;
  tally.counts.records += scan.records.size;
  tally.bad.push(...scan.unplaced);
  if (feed.feed === 'pay-periods' && isComplete(scan)) tally.payPeriods = [...scan.payPeriods];
  if (!isComplete(scan) && !scan.isRetried) tally.reasons.add(reasonOf(scan));
}

function reasonOf({ end, slices }: Scan): string {
  const where = slices.size === 1 ? [...slices].join('') : `${[...slices][0]} to ${[...slices].at(-1)}`;
  switch (end?.problem) {
    case 'source_error':
      return `${where} cannot be read: ${end.error?.message ?? 'the source failed'}`;
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

export interface Looked {
  readonly scan: Scan;
  readonly questions: OpenQuestions;
  readonly doubt: Doubt;
  readonly answers: ReadonlyMap<string, Answer>;
  readonly comparison: Comparison;
  readonly told: readonly ToldChange[];
  readonly committed: boolean;
}

/** Notes what a comparison found. A look counts only when all it found was committed. */
export function noteComparison(looked: Looked, { tally, ports }: Run): void {
  const { scan, questions, doubt, comparison, told, committed } = looked;
  tally.bad.push(...questions.bad);
  tally.counts.quarantined += questions.bad.length + scan.unplaced.length;
  const doubted = [...doubt.shrunk.keys()].filter((slice) => comparison.unseen.has(slice));
  if (doubted.length > 0) {
    tally.reasons.add(`more records of ${doubted.join(', ')} vanished at once than is believed`);
  }
  for (const [slice, missing] of doubt.shrunk) tally.shrunk.set(slice, missing);
  noteContradictions(looked, tally.reasons);
  if (!committed) return;
  tally.counts.changes += comparison.changes.length;
  tally.sweptOn.push(...sweptDates(told));
  for (const { after, standsIn, silent } of comparison.changes) {
    const slice = after?.slice ?? standsIn;
    if (slice !== null && silent !== true) tally.changesOn.set(slice, (tally.changesOn.get(slice) ?? 0) + 1);
  }
  if (!isComplete(scan)) return;
  for (const slice of scan.slices) {
    tally.compared.add(slice);
    const at = scan.startedAt ?? ports.clock.now();
    tally.looks.set(slice, { at, unseen: comparison.unseen.get(slice) ?? {} });
  }
}

/** A record that its list left out although it is there: the list cannot be taken for whole. */
function noteContradictions({ questions, answers, comparison }: Looked, reasons: Set<string>): void {
  const contradicted = questions.absent.filter(({ slice, row }) => {
    const answer = answers.get(row.id);
    return answer?.outcome === 'found' && answer.record.slice === slice;
  });
  if (contradicted.length > 0) {
    reasons.add(`the list left out ${contradicted.length} records that the source still has`);
  }
  const unproven = [...comparison.unseen.keys()].filter((slice) =>
    questions.absent.some((known) => known.slice === slice && !answers.has(known.row.id)),
  );
  if (unproven.length > 0)
    reasons.add(`some absent records of ${unproven.join(', ')} could not be asked for yet`);
}

/** Payroll goes over a whole pay period at a time: where it was, it comes again. */
function sweptDates(told: readonly ToldChange[]): string[] {
  return told.flatMap(({ change, types }) =>
    change.after !== null && types.some((type) => SWEEPS.has(type)) ? [change.after.slice] : [],
  );
}

const SWEEPS: ReadonlySet<string> = new Set(['timesheet.payroll_approved', 'timesheet.processed']);
