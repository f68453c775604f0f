import type { PayPeriod, Timesheet } from '../schemas.ts';

/** Sets or clears one member of a timesheet. */
export interface MarkChange {
  readonly change:
    | 'approve'
    | 'revoke-approval'
    | 'approve-payroll'
    | 'revoke-payroll-approval'
    | 'process'
    | 'revert-processing'
    | 'remove-clock-in'
    | 'remove-clock-out';
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

/** Adds a clock record: now, or `variance` minutes from the schedule. */
export interface ClockChange {
  readonly change: 'clock-in' | 'clock-out';
  readonly id: string;
  readonly variance?: number;
  readonly kiosk?: boolean;
  readonly beacon?: boolean;
  readonly overrideEmployee?: string | null;
  readonly overrideOrganisation?: string | null;
  /** Without a local time, like a record entered by hand. */
  readonly timeless?: boolean;
}

/** Moves a clock record by some minutes (default 5). */
export interface CorrectClockChange {
  readonly change: 'correct-clock-in' | 'correct-clock-out';
  readonly id: string;
  readonly minutes?: number;
}

interface PeriodMembers {
  readonly calendar?: string;
  readonly startDate?: string;
  readonly finishDate?: string;
}

/** Default: the next week of the weekly calendar. */
export interface CreatePeriodChange extends PeriodMembers {
  readonly change: 'create-pay-period';
}

/** Without any member, renames the calendar. */
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
  | { readonly outcome: 'unknown'; readonly id: string }
  | { readonly outcome: 'refused'; readonly reason: string };
