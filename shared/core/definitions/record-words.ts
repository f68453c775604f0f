import type { RecordEventType } from '../event-types.ts';
import type { AlertNews } from './event-definition.ts';

/** How alerts treat each type about a timesheet or a pay period. */
export const RECORD_NEWS = {
  'timesheet.created': {
    counted: ['timesheet', 'added'],
    countsRecords: true,
    plain: 'A timesheet was added',
    byDefault: 'late',
  },
  'timesheet.changed': {
    counted: ['timesheet', 'changed'],
    countsRecords: true,
    plain: 'A timesheet was changed',
    byDefault: 'late',
  },
  'timesheet.approved': {
    counted: ['timesheet', 'approved'],
    countsRecords: true,
    plain: 'A timesheet was approved',
    byDefault: 'late',
  },
  'timesheet.approval_revoked': {
    counted: ['approval', 'revoked'],
    plain: 'A timesheet is no longer approved',
    byDefault: 'late',
  },
  'timesheet.payroll_approved': {
    counted: ['timesheet', 'approved for payroll'],
    countsRecords: true,
    plain: 'A timesheet was approved for payroll',
    byDefault: 'late',
  },
  'timesheet.payroll_approval_revoked': {
    counted: ['payroll approval', 'revoked'],
    plain: 'A timesheet is no longer approved for payroll',
    byDefault: 'late',
  },
  'timesheet.processed': {
    counted: ['timesheet', 'processed'],
    countsRecords: true,
    plain: 'A timesheet was processed',
  },
  'timesheet.processing_reverted': {
    counted: ['timesheet', 'no longer processed'],
    countsRecords: true,
    plain: 'A timesheet is no longer processed',
    byDefault: 'late',
  },
  'timesheet.removed': {
    counted: ['timesheet', 'removed'],
    countsRecords: true,
    plain: 'A timesheet was removed',
    byDefault: 'late',
  },
  'record.forgotten': { counted: ['timesheet', 'forgotten'], countsRecords: true },
  'timesheet.clocked_in': { counted: ['clock-in', ''], byDefault: 'late' },
  'timesheet.clock_in_corrected': { counted: ['clock-in', 'corrected'], byDefault: 'late' },
  'timesheet.clock_in_removed': { counted: ['clock-in', 'removed'], byDefault: 'late' },
  'timesheet.clocked_out': { counted: ['clock-out', ''], byDefault: 'late' },
  'timesheet.clock_out_corrected': { counted: ['clock-out', 'corrected'], byDefault: 'late' },
  'timesheet.clock_out_removed': { counted: ['clock-out', 'removed'], byDefault: 'late' },
  'timesheet.clock_in_missing': { counted: ['clock-in', 'missing'], plain: 'A clock-in is missing' },
  'timesheet.clock_in_missing_cleared': {
    counted: ['clock-in', 'no longer missing'],
    plain: 'A clock-in is no longer missing',
  },
  'timesheet.clock_out_missing': { counted: ['clock-out', 'missing'], plain: 'A clock-out is missing' },
  'timesheet.clock_out_missing_cleared': {
    counted: ['clock-out', 'no longer missing'],
    plain: 'A clock-out is no longer missing',
  },
  'pay_period.created': {
    counted: ['pay period', 'added'],
    countsRecords: true,
    plain: 'A pay period was added',
  },
  'pay_period.changed': {
    counted: ['pay period', 'changed'],
    countsRecords: true,
    plain: 'A pay period was changed',
  },
  'pay_period.closed': {
    counted: ['pay period', 'closed'],
    countsRecords: true,
    plain: 'A pay period closed',
    byDefault: 'always',
  },
  'pay_period.reopened': {
    counted: ['pay period', 'reopened'],
    countsRecords: true,
    plain: 'A pay period was reopened',
    byDefault: 'urgent',
  },
  'pay_period.removed': {
    counted: ['pay period', 'removed'],
    countsRecords: true,
    plain: 'A pay period was removed',
  },
  'pay_period.readiness': {
    counted: ['pay period', 'with timesheets to approve'],
    countsRecords: true,
    plain: 'A pay period has timesheets to approve',
    byDefault: 'always',
  },
  'pay_period.statement': {
    counted: ['pay period', 'settled'],
    countsRecords: true,
    plain: 'A pay period has a new statement',
    byDefault: 'always',
  },
} as const satisfies Readonly<Record<RecordEventType, AlertNews>>;
