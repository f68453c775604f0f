import type { RecordEventType } from '#shared/core/event-types.ts';
import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import {
  assignPlacement,
  computeApprovalBurstAt,
  computeNextPayWeek,
  computePayWeek,
  computePublishedAt,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  type PayWeek,
} from './calendar.ts';
import { chance, drawNormal } from './chance.ts';
import type { FortnightSize } from './size.ts';

/** Kinds of changes in a trace, which stores a change as its index in this list. */
export const CHANGE_TYPES = [
  'timesheet.created',
  'timesheet.changed',
  'timesheet.clocked_in',
  'timesheet.clock_in_corrected',
  'timesheet.clocked_out',
  'timesheet.approved',
  'timesheet.approval_revoked',
  'timesheet.payroll_approved',
  'timesheet.processed',
  'timesheet.processing_reverted',
  'timesheet.removed',
] as const satisfies readonly RecordEventType[];
export type ChangeType = (typeof CHANGE_TYPES)[number];

export interface LifeStep {
  readonly at: number;
  readonly type: ChangeType;
}

export interface Shift {
  readonly startAt: number;
  readonly finishAt: number;
}

interface LifeContext {
  readonly random: () => number;
  readonly shift: Shift;
  readonly day: number;
  readonly seed: number;
  readonly organisation: number;
  readonly week: PayWeek;
  readonly steps: LifeStep[];
}

export function hasTimesheet(
  employee: number,
  day: number,
  trace: { seed: number; size: FortnightSize },
): boolean {
  const { weekdayShare, weekendShare } = trace.size;
  const share = (day + 3) % 7 >= 5 ? weekendShare : weekdayShare;
  return chance(trace.seed, 41, employee, day) < share;
}

/** Mornings, afternoons and nights, on quarters of an hour. */
export function drawShift(employee: number, day: number, seed: number): Shift {
  const kind = chance(seed, 51, employee, day);
  const quarter = Math.floor(chance(seed, 52, employee, day) * 10);
  const startHour = (kind < 0.6 ? 6 : kind < 0.88 ? 13 : 20.5) + quarter / 4;
  const hours = 4 + Math.floor(chance(seed, 53, employee, day) * 21) / 4;
  const startAt = day * DAY_MS + startHour * HOUR_MS;
  return { startAt, finishAt: startAt + hours * HOUR_MS };
}

/** All changes of one timesheet in order of time. */
export function simulateLife(
  employee: number,
  day: number,
  trace: { readonly seed: number; readonly size: FortnightSize },
): LifeStep[] {
  const { seed, size } = trace;
  const { organisation, calendar } = assignPlacement(employee, size);
  const context: LifeContext = {
    random: createSeededRandom(Math.floor(chance(seed, 61, employee, day) * 4_294_967_296)),
    shift: drawShift(employee, day, seed),
    day,
    seed,
    organisation,
    week: computePayWeek(calendar, day, seed),
    steps: [],
  };
  const createdAt = create(context);
  if (applyRosterEdits(context, createdAt)) return sortSteps(context.steps);
  const workedUntil = work(context);
  const approvedAt = approve(context, workedUntil);
  if (approvedAt !== null) pay(context, approvedAt);
  return sortSteps(context.steps);
}

function create(context: LifeContext): number {
  const { random, shift, steps, organisation, day, seed } = context;
  const isLate = random() < 0.06;
  const at = isLate
    ? shift.startAt - (0.5 + random() * 48) * HOUR_MS
    : // A published roster appears within seconds, in bulk.
      computePublishedAt(organisation, day, seed) + random() * 20_000;
  steps.push({ at, type: 'timesheet.created' });
  return at;
}

/** Edits before the shift; true when the timesheet was removed from the roster. */
function applyRosterEdits({ random, shift, steps }: LifeContext, createdAt: number): boolean {
  const between = () => createdAt + random() * Math.max(0, shift.startAt - HOUR_MS - createdAt);
  const fate = random();
  if (fate < 0.015) {
    steps.push({ at: between(), type: 'timesheet.removed' });
    return true;
  }
  if (fate < 0.12) steps.push({ at: between(), type: 'timesheet.changed' });
  return false;
}

/** Clocks in and out; returns the instant from which a manager can approve. */
function work({ random, shift, steps }: LifeContext): number {
  if (random() < 0.04) return shift.finishAt;
  const inAt = shift.startAt + drawNormal(random) * 5 * MINUTE_MS;
  const outAt = shift.finishAt + drawNormal(random) * 7 * MINUTE_MS;
  steps.push({ at: inAt, type: 'timesheet.clocked_in' }, { at: outAt, type: 'timesheet.clocked_out' });
  return outAt;
}

/** Approvals: most the next morning or before the deadline, some at once, some late, a few never. */
function approve(context: LifeContext, workedUntil: number): number | null {
  const { random, steps, week } = context;
  const kind = random();
  if (kind > 0.995) return null;
  const at = Math.max(workedUntil + 2 * MINUTE_MS, approvalTime(context, { kind, workedUntil }));
  if (random() < 0.06) {
    const type = random() < 0.4 ? 'timesheet.clock_in_corrected' : 'timesheet.changed';
    steps.push({ at: at - (10 + random() * 80) * 1_000, type });
  }
  steps.push({ at, type: 'timesheet.approved' });
  if (random() > 0.004 || at > week.deadlineAt) return at;
  const revokedAt = at + random() * 3 * HOUR_MS;
  const againAt = revokedAt + (5 + random() * 120) * MINUTE_MS;
  steps.push(
    { at: revokedAt, type: 'timesheet.approval_revoked' },
    { at: againAt, type: 'timesheet.approved' },
  );
  return againAt;
}

function approvalTime(
  { random, organisation, day, seed, week }: LifeContext,
  { kind, workedUntil }: { kind: number; workedUntil: number },
): number {
  if (kind < 0.07) return workedUntil + (5 + random() * 55) * MINUTE_MS;
  if (kind < 0.72) return computeApprovalBurstAt(organisation, day, seed) + random() * 12 * MINUTE_MS;
  if (kind < 0.955) {
    const sitting = chance(seed, 71, organisation, week.firstDay) * 2.5 * HOUR_MS;
    return week.deadlineAt - 3 * HOUR_MS + sitting + random() * 20 * MINUTE_MS;
  }
  return week.deadlineAt + random() * 7 * DAY_MS;
}

/** Payroll approves and processes in two sweeps, each within minutes over all dates of the week. */
function pay({ random, steps, seed, week }: LifeContext, approvedAt: number): void {
  let sweep = week;
  while (sweep.payrollAt < approvedAt) sweep = computeNextPayWeek(sweep, seed);
  steps.push({ at: sweep.payrollAt + random() * 6 * MINUTE_MS, type: 'timesheet.payroll_approved' });
  const processedAt = sweep.processingAt + random() * 8 * MINUTE_MS;
  steps.push({ at: processedAt, type: 'timesheet.processed' });
  if (random() > 0.001) return;
  const again = computeNextPayWeek(sweep, seed);
  steps.push(
    { at: processedAt + (1 + random() * 19) * HOUR_MS, type: 'timesheet.processing_reverted' },
    { at: again.processingAt + random() * 8 * MINUTE_MS, type: 'timesheet.processed' },
  );
}

function sortSteps(steps: LifeStep[]): LifeStep[] {
  return steps.map(({ at, type }) => ({ at: Math.round(at), type })).sort((a, b) => a.at - b.at);
}
