import type { PayPeriodHint } from '#shared/core/records/pay-period.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import type { ChangeType } from '../trace/life.ts';

/** What a planner knows at an instant: what the notifier has stored and measured, not what the source holds. */
export interface PlannerInput {
  readonly now: number;
  /**
   * Heads of every date that was read: `observedAt` is the start of its last complete scan, counts are of that scan.
   */
  readonly heads: ReadonlyMap<string, SliceHead>;
  /** Pay periods as their own feed last read them. */
  readonly payPeriods: readonly PayPeriodHint[];
  /** When they were requested. */
  readonly payPeriodsAt: number;
  readonly pageSize: number;
}

/** One walk over consecutive dates, or when to ask the planner again. */
export type Step =
  /** `askUntil`: no page is requested from then on. */
  | { readonly dates: readonly string[]; readonly askUntil?: number }
  | { readonly waitUntil: number }
  /** Reads the pay periods, then asks the planner again. */
  | { readonly readsPayPeriods: true };

/** The result of a walk. */
export interface CompletedScan {
  readonly lane: string;
  readonly dates: readonly string[];
  readonly startedAt: number;
  readonly endedAt: number;
  /** All pages were read; otherwise `askUntil` came first, and only the changes seen until then count. */
  readonly complete: boolean;
  readonly pages: number;
  readonly changes: readonly { readonly date: string; readonly at: number; readonly type: ChangeType }[];
}

/**
 * Decides what to read next. The model asks a lane for a step, carries it out and asks again; lanes run concurrently
 * and share the pace of the source.
 */
export interface ScanPlanner {
  readonly lanes: readonly string[];
  /** Whether the list of pay periods is read every minute, which costs a request. */
  readonly readsPayPeriods: boolean;
  next(lane: string, known: PlannerInput): Step;
  /** Called after every walk, when the heads are up to date. */
  learn(scan: CompletedScan, known: PlannerInput): void;
}
