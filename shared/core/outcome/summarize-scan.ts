import { describeFormChange, type FormCheck } from '../compare/source-form.ts';
import type { SourceError } from '../errors.ts';
import type { FeedName } from '../feeds.ts';
import { isComplete, listPayPeriods, type Scan } from '../fetch/scan.ts';
import { WHOLE_LIST } from '../records/feed-definition.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { ScanOutcome } from './stage-outcome.ts';

interface ScanToSummarize {
  readonly scan: Scan;
  /** The same poll fetches its slices again, so that it need not be complete. */
  readonly isRefetched: boolean;
  /** The feed's state before the poll. */
  readonly known: Pick<FeedState, 'awaited' | 'payPeriods'>;
}

/** What a scan brought, before it is compared. While the source's form has changed, single bad records say nothing. */
export function summarizeScan(
  { scan, isRefetched, known }: ScanToSummarize,
  form: FormCheck,
  feed: FeedName,
): ScanOutcome {
  const isIncomplete = !isComplete(scan) && !isRefetched;
  const hasChanged = form.change !== null;
  return {
    stage: 'scan',
    slices: scan.slices.size,
    records: scan.records.size,
    quarantined: form.invalid.size + scan.unplaced.length,
    payPeriods: feed === 'pay-periods' && isComplete(scan) ? listPayPeriods(scan, known.payPeriods) : null,
    formChange: form.change,
    bad: hasChanged ? [] : [...scan.unplaced, ...form.invalid.values()],
    readAgain:
      hasChanged || !isComplete(scan)
        ? []
        : Object.keys(known.awaited ?? {}).filter((id) => isValid(id, scan, form)),
    reason: hasChanged ? describeFormChange(form.change) : isIncomplete ? describeIncompleteScan(scan) : null,
  };
}

/** Every record of a complete scan was checked, or is as it was when it was checked before. */
function isValid(id: string, scan: Scan, { invalid }: FormCheck): boolean {
  return scan.records.has(id) && !invalid.has(id) && !scan.unplaced.some((bad) => bad.id === id);
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

/** A rejected credential is not the fault of what was requested. */
function describeFailure(where: string, error: SourceError | null): string {
  const message = error?.message ?? 'the source failed';
  return error?.credentialRejected === true || where === WHOLE_LIST
    ? message
    : `${where} cannot be read: ${message}`;
}
