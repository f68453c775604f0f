import * as z from 'zod';
import { asIs, isRecord, unsetAsNull, type WatchedField } from './fields.ts';

const text = z.string().max(200);

/** What we watch of a pay period (section 2.12). Its totals are hints for the planner, not watched. */
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
  { name: 'calendar', read: (record) => asIs(record.calendar) },
  { name: 'startDate', read: (record) => asIs(record.startDate) },
  { name: 'finishDate', read: (record) => asIs(record.finishDate) },
  { name: 'closed', read: (record) => unsetAsNull(record.closed) },
  { name: 'payRollCompanyId', read: (record) => unsetAsNull(record.payRollCompanyId) },
  { name: 'payRollProvider', read: (record) => unsetAsNull(record.payRollProvider) },
];

/** What the planner and the `late` mark need of a pay period: its dates, whether it is closed, and its totals. */
export interface PayPeriodHint {
  readonly id: string;
  readonly startDate: string;
  readonly finishDate: string;
  readonly closed: boolean;
  /** A text that changes when the period's totals do. */
  readonly totals: string;
}

/** Reads the hint of a period whose state is known to be good. */
export function payPeriodHintOf(id: string, state: PayPeriodState, record: unknown): PayPeriodHint {
  const { hours, numberEmployees, numberTimesheets } = isRecord(record) ? record : {};
  return {
    id,
    startDate: state.startDate,
    finishDate: state.finishDate,
    closed: state.closed !== null,
    totals: `${String(hours)}/${String(numberEmployees)}/${String(numberTimesheets)}`,
  };
}
