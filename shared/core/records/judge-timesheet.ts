import { ABSENCE_FIELDS, type AbsenceRules, judgeAbsences } from '../../absences/absences.ts';
import type { Json } from './fields.ts';
import { TIMESHEET_FIELDS, type TimesheetState } from './timesheet.ts';

/** When a record was requested, and the rules for missing clockings; null where a connection has none. */
export interface RecordLook {
  readonly absences: AbsenceRules | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A row with its derived fields. */
export interface JudgedRow {
  readonly row: readonly Json[];
  /** Until this instant, in milliseconds since 1970, the same record gives the same row. */
  readonly nextChangeAt: number;
}

const PLACES = Object.fromEntries(TIMESHEET_FIELDS.map(({ name }, place) => [name, place])) as Readonly<
  Record<keyof TimesheetState, number>
>;
/** Once a person has approved or processed a timesheet, no clocking is waited for. */
const ENDS_WAITING = ['approvedHours', 'approvedPayroll', 'processed'] as const;

/** Fills in the missing clockings of an unchecked timesheet. */
export function judgeTimesheet(row: readonly Json[], { absences, at }: RecordLook): JudgedRow {
  if (absences === null) return { row, nextChangeAt: Number.POSITIVE_INFINITY };
  const read = (name: keyof TimesheetState) => row[PLACES[name]];
  const planned = {
    startTime: read('startTime'),
    finishTime: read('finishTime'),
    clockIn: read('clockIn'),
    clockOut: read('clockOut'),
    includesLeave: read('includesLeave'),
    settled: ENDS_WAITING.map(read),
  };
  const { values, nextChangeAt } = judgeAbsences(planned, absences, at);
  const judged = [...row];
  for (const field of ABSENCE_FIELDS) judged[PLACES[field]] = values[field];
  return { row: judged, nextChangeAt };
}
