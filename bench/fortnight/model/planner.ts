import type { PayPeriodHint } from '#shared/core/records/pay-period.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import type { ChangeType } from '../trace/life.ts';

/** What a planner can know at an instant: what the notifier has stored and measured, nothing of the source's truth. */
export interface PlannerInput {
  readonly now: number;
  /** Heads of every date that was looked at: `observedAt` is the start of the last whole look, counts are as seen then. */
  readonly heads: ReadonlyMap<string, SliceHead>;
  /** Pay periods as their own feed saw them last. */
  readonly payPeriods: readonly PayPeriodHint[];
  /** When they were asked for. */
  readonly payPeriodsAt: number;
  /** Records a page holds, and what a request took lately. */
  readonly pageSize: number;
  readonly requestMs: number;
}

/** One walk over dates that lie side by side, or when to ask the planner again. */
export type Step =
  | { readonly dates: readonly string[]; readonly askUntil?: number }
  | { readonly waitUntil: number }
  /** To ask for the pay periods once more, and to ask the planner again when they are there. */
  | { readonly asksPayPeriods: true };

/** What a walk brought. */
export interface CompletedScan {
  readonly lane: string;
  readonly dates: readonly string[];
  readonly startedAt: number;
  readonly endedAt: number;
  /** All pages were read; otherwise time was over first, and only changes count that were seen. */
  readonly complete: boolean;
  readonly pages: number;
  readonly changes: readonly { readonly date: string; readonly at: number; readonly type: ChangeType }[];
}

/**
 * A way to decide what to look at next. Each lane is one poll at a time: it is asked for a step, the walk is made,
 * and it is asked again; lanes run side by side and share the source's pace.
 */
export interface ScanPlanner {
  readonly name: string;
  readonly lanes: readonly string[];
  /** Whether the list of pay periods is asked for every minute, which costs a request. */
  readonly readsPayPeriods: boolean;
  next(lane: string, known: PlannerInput): Step;
  /** Told of every walk when it ended, after the heads were brought up to date. */
  learn(look: CompletedScan, known: PlannerInput): void;
}
