import type { ClockRecord, PayPeriod, Timesheet } from '../schemas.ts';

/** The member that each mark sets or clears. */
export const MEMBER_OF_MARK = {
  approve: 'approvedHours',
  'revoke-approval': 'approvedHours',
  'approve-payroll': 'approvedPayroll',
  'revoke-payroll-approval': 'approvedPayroll',
  process: 'processed',
  'revert-processing': 'processed',
  'remove-clock-in': 'clockIn',
  'remove-clock-out': 'clockOut',
} as const satisfies Readonly<Record<string, keyof Timesheet>>;

/** Sets or clears one member of a timesheet. */
export interface MarkChange {
  readonly change: keyof typeof MEMBER_OF_MARK;
  readonly id: string;
}

/** A casual job; `start` is in minutes after local midnight, `hours` from start to finish, without a break. */
export interface CreateChange {
  readonly change: 'create';
  /** An employee of the company; default: the first. */
  readonly employeeId?: string;
  /** Default: today. */
  readonly date?: string;
  readonly start?: number;
  readonly hours?: number;
  /** Without a department and a role. */
  readonly unassigned?: boolean;
}

/** Another date, or other payable hours, or both; without either, half an hour more. */
export interface EditChange {
  readonly change: 'change';
  readonly id: string;
  readonly date?: string;
  /** The last detail and the finish go with it. */
  readonly hours?: number;
}

/** Adds a clock record: now, or `variance` minutes from the schedule; what else is given is as it is given. */
export interface ClockChange extends Partial<Omit<ClockRecord, 'id'>> {
  readonly change: 'clock-in' | 'clock-out';
  readonly id: string;
}

/** Moves a clock record by some minutes. */
export interface CorrectClockChange {
  readonly change: 'correct-clock-in' | 'correct-clock-out';
  readonly id: string;
  readonly minutes: number;
}

type PeriodMembers = Partial<Pick<PayPeriod, 'calendar' | 'startDate' | 'finishDate'>>;

/** Default: a week of the weekly calendar. */
export interface CreatePeriodChange extends PeriodMembers {
  readonly change: 'create-pay-period';
  readonly startDate: string;
}

interface EditPeriodChange extends PeriodMembers {
  readonly change: 'change-pay-period';
  readonly id: string;
}

interface EndPeriodChange {
  readonly change: 'close-pay-period' | 'reopen-pay-period' | 'remove-pay-period';
  readonly id: string;
}

export type PeriodChange = EditPeriodChange | EndPeriodChange;
export type TimesheetChange =
  | EditChange
  | MarkChange
  | ClockChange
  | CorrectClockChange
  | { readonly change: 'remove'; readonly id: string };
/** One change of one record. All changes of the company, simulated or by hand, are of this form. */
export type CompanyChange = CreateChange | TimesheetChange | CreatePeriodChange | PeriodChange;
export type ChangeKind = CompanyChange['change'];

/** `record` is the new state, `null` when it was removed. */
export type ChangeOutcome =
  | { readonly outcome: 'done'; readonly record: Timesheet | PayPeriod | null }
  | { readonly outcome: 'refused'; readonly reason: string };
