import { type ChangeKind, type CompanyChange, changeSchema } from '#local/source/company/changes.ts';
import type { FaultAction } from '#local/source/http/faults.ts';
import type { OperationId } from '#local/source/http/operations.ts';
import type { PayPeriod, Timesheet } from '#local/source/schemas.ts';
import { type RunningSource, type SourceOptions, startSource } from '#local/source/server.ts';
import { steer } from '#test/support/steer.ts';

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
  return make(source, changeSchema.parse(isCreation(kind) ? { change: kind } : { change: kind, id }));
}

function isCreation(kind: ChangeKind): boolean {
  return kind === 'create' || kind === 'create-pay-period';
}

type RecordOf<Kind extends CompanyChange> = Kind['change'] extends 'remove' | 'remove-pay-period'
  ? null
  : Kind['change'] extends `${string}-pay-period`
    ? PayPeriod
    : Timesheet;

/** A fault of the source, and the requests it applies to. */
export interface Fault {
  readonly operation?: OperationId;
  /** Only lists of dates that include this one. */
  readonly date?: string;
  readonly page?: number;
  readonly times?: number | 'always';
  readonly action: Partial<FaultAction> & { readonly kind: FaultAction['kind'] };
}

/** Sets faults by the control route of the source. */
export async function injectFault(source: RunningSource, fault: Fault): Promise<void> {
  await control(source, { method: 'POST', body: JSON.stringify({ times: 'always', ...fault }) });
}

/** Clears all faults. */
export async function clearFaults(source: RunningSource): Promise<void> {
  await control(source, { method: 'DELETE' });
}

/** The faults that have not been used up yet. */
export async function listFaults(source: RunningSource): Promise<unknown> {
  return (await control(source, { method: 'GET' })).json();
}

async function control(source: RunningSource, init: RequestInit): Promise<Response> {
  const response = await steer(source, 'faults', init);
  if (!response.ok) throw new Error(`control answered ${response.status}: ${await response.text()}`);
  return response;
}

/** The record that the source lists first, to which faults apply. */
export function findFirstListed({ company }: RunningSource): Timesheet {
  const [first] = company.timesheets(WATCHED);
  if (first === undefined) throw new Error('the company has no timesheets this week');
  return first;
}
