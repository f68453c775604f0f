import { DIGEST, THREADS } from './digest.ts';
import { FORMS } from './forms.ts';
import { LAYOUT } from './layout.ts';
import { OPERATION_TEXTS } from './operations.ts';
import { CLOSINGS, OUTSTANDING, PAY_PERIODS, READINESS, SHEETS, STATEMENTS } from './pay-periods.ts';
import { ABSENCES, EFFECTS, FIELDS, LATENESS, SNAPSHOTS, TIMESHEETS } from './timesheets.ts';

/** Every text of a message, one table for each family. A text that stands in no table is no part of a message. */
export const ENGLISH_TABLES = {
  forms: FORMS,
  timesheets: TIMESHEETS,
  fields: FIELDS,
  effects: EFFECTS,
  lateness: LATENESS,
  absences: ABSENCES,
  payPeriods: PAY_PERIODS,
  closings: CLOSINGS,
  statements: STATEMENTS,
  outstanding: OUTSTANDING,
  sheets: SHEETS,
  readiness: READINESS,
  snapshots: SNAPSHOTS,
  operations: OPERATION_TEXTS,
  digest: DIGEST,
  threads: THREADS,
  layout: LAYOUT,
} as const;
