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

export interface PersonTimesheet {
  readonly id: string;
  readonly date: string | null;
  readonly departmentId: string | null;
  readonly department: string | null;
  readonly hours: number;
  readonly approved: boolean;
  readonly payrollApproved: boolean;
  readonly processed: boolean;
}

/** The timesheets of a person in these pay periods and the last ones, and what happened to them. */
export interface PersonAnswer {
  readonly name: string | null;
  readonly timeZone: string;
  /** Dates that were looked at, both included. */
  readonly from: string;
  readonly to: string;
  /** From when on changes were looked for, RFC 3339. */
  readonly since: string;
  /** As stored now. */
  readonly timesheets: readonly PersonTimesheet[];
  /** Newest first, in the order of the log. */
  readonly changes: readonly PersonChange[];
}
