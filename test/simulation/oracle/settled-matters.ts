import type { Told } from './evidence.ts';

/** Always wrong, and wrong when they come late; the processing of the timesheet, or a closing, settles them. */
const REVERSALS: readonly string[] = [
  'timesheet.approval_revoked',
  'timesheet.payroll_approval_revoked',
  'timesheet.processing_reverted',
  'pay_period.reopened',
];
const WRONG_WHEN_LATE: readonly string[] = ['timesheet.created', 'timesheet.changed'];
const SETTLING: readonly string[] = ['timesheet.processed', 'pay_period.closed'];
const KEY = 'matter ';

/** Notes what an event leaves open, by type beside the standing facts, or that it settles everything. */
export function noteMatters(standing: Map<string, string>, type: string, event: Told | undefined): void {
  if (SETTLING.includes(type)) for (const key of listMatters(standing)) standing.delete(key);
  const late = (event?.data.late ?? []) as readonly string[];
  const isOpen = REVERSALS.includes(type) || (WRONG_WHEN_LATE.includes(type) && late.length > 0);
  if (!isOpen || event === undefined) return;
  // The latest of each type, in the order in which they happened.
  standing.delete(KEY + type);
  standing.set(KEY + type, JSON.stringify({ id: event.id, type: `workforce.${type}`, late }));
}

/** What an event must say that it settles. */
export function dueSettles(standing: ReadonlyMap<string, string>, type: string): object {
  const matters = SETTLING.includes(type) ? listMatters(standing) : [];
  return matters.length === 0
    ? {}
    : { settles: matters.map((key) => JSON.parse(standing.get(key) ?? 'null') as unknown) };
}

function listMatters(standing: ReadonlyMap<string, string>): string[] {
  return [...standing.keys()].filter((key) => key.startsWith(KEY));
}
