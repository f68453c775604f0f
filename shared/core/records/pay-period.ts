import * as z from 'zod';
import { castJson, emptyToNull, isRecord, type WatchedField } from './fields.ts';

const text = z.string().max(200);

/**
 * The watched fields of a pay period (docs/source-api.md, Pay periods). Its totals are hints for the planner, not
 * watched.
 */
export const payPeriodStateSchema = z.strictObject({
  /** Name of the pay calendar. */
  calendar: text,
  startDate: z.iso.date(),
  finishDate: z.iso.date(),
  /** Date closed, or null while it is open. */
  closed: text.min(1).nullable(),
  payRollCompanyId: text.nullable(),
  payRollProvider: text.nullable(),
});
export type PayPeriodState = z.output<typeof payPeriodStateSchema>;

/** The watched fields in stored order. Append only, see `TIMESHEET_FIELDS`. */
export const PAY_PERIOD_FIELDS: readonly WatchedField<PayPeriodState>[] = [
  { name: 'calendar', read: (record) => castJson(record.calendar) },
  { name: 'startDate', read: (record) => castJson(record.startDate) },
  { name: 'finishDate', read: (record) => castJson(record.finishDate) },
  { name: 'closed', read: (record) => emptyToNull(record.closed) },
  { name: 'payRollCompanyId', read: (record) => emptyToNull(record.payRollCompanyId) },
  { name: 'payRollProvider', read: (record) => emptyToNull(record.payRollProvider) },
];

/** What the feed of timesheets and the alerts need of a pay period. */
export interface PayPeriodHint {
  readonly id: string;
  /** Name of the pay calendar; absent where an older version stored the period. */
  readonly calendar?: string | undefined;
  readonly startDate: string;
  readonly finishDate: string;
  readonly closed: boolean;
  /** `hours/employees/timesheets`: changes when the period's totals do. */
  readonly totals: string;
  /** Instant of the first scan that saw these totals; absent where an older version stored the period. */
  readonly totalsSince?: number | undefined;
}

/** The hint of a period whose state is valid. `record`: as the source returned it, with its totals. */
export function readPayPeriodHint(id: string, state: PayPeriodState, record: unknown): PayPeriodHint {
  const { hours, numberEmployees, numberTimesheets } = isRecord(record) ? record : {};
  return {
    id,
    calendar: state.calendar,
    startDate: state.startDate,
    finishDate: state.finishDate,
    closed: state.closed !== null,
    totals: `${String(hours)}/${String(numberEmployees)}/${String(numberTimesheets)}`,
  };
}

/** Pay periods as a scan saw them, with the instant since which their totals are as they are. */
export function dateTotals(
  seen: readonly PayPeriodHint[],
  before: readonly PayPeriodHint[],
  scannedAt: number,
): PayPeriodHint[] {
  const known = new Map(before.map((hint) => [hint.id, hint]));
  return seen.map((hint) => {
    const last = known.get(hint.id);
    const isSame = last?.totalsSince !== undefined && last.totals === hint.totals;
    return { ...hint, totalsSince: isSame ? last.totalsSince : scannedAt };
  });
}

type Span = Pick<PayPeriodHint, 'id' | 'startDate' | 'finishDate'>;

/** Ids of other periods that share dates with this one: the source does not say to which one a timesheet belongs. */
export function findPeriodsSharingDates(
  { id, startDate, finishDate }: Span,
  periods: readonly Span[],
): string[] {
  return periods
    .filter((other) => other.id !== id)
    .filter((other) => other.startDate <= finishDate && other.finishDate >= startDate)
    .map((other) => other.id);
}
