import { type FortnightSize, PLANNING, TWO_THOUSAND } from '../trace/size.ts';

/** Records a page when the source gives few, as in the samples of its specification. */
export const PAGE_SIZE = 200;
/** The pace of the notifier's requests unless configured otherwise, at a latency of 300 ms. */
export const PACE = { requestMs: 300, perSecond: 20 };
/** The default window of a connection. */
export const WINDOW = { backDays: 35, forwardDays: 14 };

/** A part of the fortnight: a whole one would take hours to run. */
export interface Span {
  readonly size: FortnightSize;
  readonly name: string;
  /** Days from the start of the trace, and for how many days. */
  readonly firstDay: number;
  readonly days: number;
  /** Of the functions that poll, as notifier.config.ts says it for so many people. */
  readonly memoryMb: number;
}

/** The second Monday and Tuesday have every kind of burst: approvals, a deadline, a payroll sweep. */
const SECOND_MONDAY = 7;
const TWO_ON_TUESDAY = SECOND_MONDAY + 1 + 2 / 24;
const SEVEN_ON_TUESDAY = SECOND_MONDAY + 1 + 7 / 24;

/** The span in which the flow is run with so many people: the more there are, the shorter, and of the busiest hours. */
export function spanOf(size: FortnightSize): Span {
  const { people, name } = size;
  const known = { size, memoryMb: people <= 2_000 ? 256 : 512 };
  if (people <= 100) return { ...known, name: `${name}, two days`, firstDay: SECOND_MONDAY, days: 2 };
  if (people <= 5_000)
    return { ...known, name: `${name}, six hours`, firstDay: SEVEN_ON_TUESDAY, days: 6 / 24 };
  return { ...known, name: `${name}, an hour`, firstDay: SEVEN_ON_TUESDAY, days: 1 / 24 };
}

/** Hours of the night before the busiest ones. */
export function quietSpanOf(size: FortnightSize): Span {
  const busy = spanOf(size);
  return {
    ...busy,
    name: `${size.name}, a quiet night`,
    firstDay: TWO_ON_TUESDAY,
    days: Math.min(busy.days, 3 / 24),
  };
}

export const MANY = spanOf(TWO_THOUSAND);
export const MOST = spanOf(PLANNING);
