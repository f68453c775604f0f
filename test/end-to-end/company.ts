import type { ChangeKind, CompanyChange } from '#local/source/company/changes.ts';
import type { PayPeriod, Timesheet } from '#local/source/schemas.ts';
import { type RunningSource, type SourceOptions, startSource } from '#local/source/server.ts';

/** A Thursday, 11:00 in Auckland, during working hours. */
export const MORNING = Date.parse('2026-03-04T22:00:00Z');
export const TODAY = '2026-03-05';
export const TIME_ZONE = 'Pacific/Auckland';
/** The dates of the window of a stage. */
export const WATCHED = { from: '2026-03-02', to: '2026-03-08' };

/** A company in which only tests make changes. */
export async function startCompany(options: SourceOptions = {}): Promise<RunningSource> {
  return startSource({ startsAt: MORNING, timeZone: TIME_ZONE, speed: 0, ...options });
}

/** Applies a manual change and returns the record after it. Throws when the company refuses it. */
export function make<Kind extends CompanyChange>(source: RunningSource, change: Kind): RecordOf<Kind> {
  const outcome = source.company.apply(change);
  if (outcome.outcome !== 'done') throw new Error(`${change.change}: ${JSON.stringify(outcome)}`);
  return outcome.record as RecordOf<Kind>;
}

/** A change of any kind on a record; `id` is ignored for a change that creates one. */
export function makeAny(source: RunningSource, kind: ChangeKind, id = ''): PayPeriod | Timesheet | null {
  const change = isCreation(kind) ? { change: kind } : { change: kind, id };
  return make(source, change as CompanyChange);
}

function isCreation(kind: ChangeKind): boolean {
  return kind === 'create' || kind === 'create-pay-period';
}

type RecordOf<Kind extends CompanyChange> = Kind['change'] extends 'remove' | 'remove-pay-period'
  ? null
  : Kind['change'] extends `${string}-pay-period`
    ? PayPeriod
    : Timesheet;

/** The record that the source lists first, to which faults apply. */
export function findFirstListed({ company }: RunningSource): Timesheet {
  const [first] = company.timesheets(WATCHED);
  if (first === undefined) throw new Error('the company has no timesheets this week');
  return first;
}
