import type { Line } from './lines.ts';
import type { ReceiverOutcome } from './record.ts';

export interface PersonQuery {
  readonly id: string;
  readonly connection: string;
}

/** A change of a timesheet, and what became of it at each receiver. */
export interface PersonChange extends Line {
  readonly receivers: readonly ReceiverOutcome[];
}

interface PersonPeriod {
  readonly id: string;
  readonly calendar: string;
  readonly startDate: string;
  readonly finishDate: string;
  readonly closed: boolean;
}

export interface PersonTimesheet {
  readonly id: string;
  readonly date: string | null;
  readonly departmentId: string | null;
  readonly department: string | null;
  /** Ids of the pay periods that it belongs to, or may belong to. */
  readonly payPeriods: readonly string[];
  readonly hours: number;
  readonly approved: boolean;
  readonly payrollApproved: boolean;
  readonly processed: boolean;
}

/** The timesheets of a person in this pay period and the last one, and what happened to them. */
export interface PersonAnswer {
  readonly name: string | null;
  readonly timeZone: string;
  /** Dates that were looked at, both included. */
  readonly from: string;
  readonly to: string;
  /** From when on changes were looked for, RFC 3339. */
  readonly since: string;
  /** Latest first. */
  readonly periods: readonly PersonPeriod[];
  /** As stored now. */
  readonly timesheets: readonly PersonTimesheet[];
  /** Newest first, in the order of the log. */
  readonly changes: readonly PersonChange[];
}
