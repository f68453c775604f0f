import type { AlertNews, ConsoleWords } from '../../core/definitions/event-definition.ts';
import type { RecordEventType, ShortEventType, SnapshotType } from '../../core/event-types.ts';
import { cleanText } from '../messages/clean-text.ts';
import { describeChanges } from '../messages/field-changes.ts';
import { formatStamp } from '../messages/moments.ts';
import { formatChange, formatHours } from '../messages/numbers.ts';
import { describeOccurrence, type EventState, readNumber, readText } from '../messages/record-events.ts';
import { createFieldWords, isReprocessing } from '../messages/timesheet-fields.ts';
import {
  appendParts,
  formatHoursToPay,
  formatShift,
  type SentenceContext,
} from '../messages/timesheet-sentences.ts';
import { done, type TimesheetStory, undone } from '../messages/timesheet-story.ts';
import {
  type Clocking,
  describeAbsence,
  describeClocked,
  describeClocking,
  describeCorrected,
  describeRemoved,
  type TimesheetSaid,
  toSaid,
} from './clocking-words.ts';
import {
  type Asked,
  askAfterRemoval,
  askAfterReversal,
  askFor,
  askForDifference,
  askIfLate,
} from './timesheet-actions.ts';

type OfTimesheet = Extract<ShortEventType, `timesheet.${string}` | 'employee.forgotten'>;
/** Types about a change of a timesheet. */
export type TimesheetType = Exclude<OfTimesheet, SnapshotType | 'employee.forgotten'>;

/** How alerts treat each type about a timesheet. */
export const TIMESHEET_NEWS = {
  'timesheet.created': {
    countsRecords: true,
    preset: 'late-changes',
    settledByProcessing: true,
    isGoodInTime: true,
    saysMost: 2,
  },
  'timesheet.changed': {
    countsRecords: true,
    preset: 'late-changes',
    settledByProcessing: true,
    endsClocking: true,
    saysMost: 1,
  },
  'timesheet.approved': {
    countsRecords: true,
    preset: 'late-changes',
    isGoodInTime: true,
    mayBeTakenBack: 'approvedHours',
    endsClocking: true,
    waits: 'late',
  },
  'timesheet.approval_revoked': {
    preset: 'late-changes',
    settledByProcessing: true,
    takesBack: true,
  },
  'timesheet.payroll_approved': {
    countsRecords: true,
    preset: 'late-changes',
    isGoodInTime: true,
    mayBeTakenBack: 'approvedPayroll',
    endsClocking: true,
    waits: 'late',
  },
  'timesheet.payroll_approval_revoked': {
    preset: 'late-changes',
    settledByProcessing: true,
    takesBack: true,
  },
  'timesheet.processed': {
    countsRecords: true,
    preset: 'late-changes',
    settlesTimesheet: true,
    endsClocking: true,
    waits: 'while_open',
  },
  'timesheet.processing_reverted': {
    countsRecords: true,
    preset: 'late-changes',
    settledByProcessing: true,
    waits: 'while_open',
  },
  'timesheet.removed': {
    countsRecords: true,
    preset: 'late-changes',
    endsClocking: true,
    saysMost: 3,
  },
  'employee.forgotten': { countsRecords: true },
  'timesheet.clocked_in': { preset: 'late-changes', waits: 'late', endsClocking: true },
  'timesheet.clock_in_corrected': { preset: 'late-changes', waits: 'late' },
  'timesheet.clock_in_removed': { preset: 'late-changes', waits: 'late', endsClocking: true },
  'timesheet.clocked_out': { preset: 'late-changes', waits: 'late', endsClocking: true },
  'timesheet.clock_out_corrected': { preset: 'late-changes', waits: 'late' },
  'timesheet.clock_out_removed': { preset: 'late-changes', waits: 'late' },
  'timesheet.clock_in_missing': {
    preset: 'missing-clockings',
    mayBeTakenBack: true,
  },
  'timesheet.clock_out_missing': {
    preset: 'missing-clockings',
    mayBeTakenBack: true,
  },
} as const satisfies Readonly<Record<OfTimesheet & RecordEventType, AlertNews>>;

/** What the console calls each type about a timesheet, and its mark. */
export const TIMESHEET_LOOKS: Readonly<Record<OfTimesheet, ConsoleWords>> = {
  'timesheet.created': ['timesheets created', 'Created', 'plus', 'calm'],
  'timesheet.changed': ['timesheets changed', 'Changed', 'edit', 'calm'],
  'timesheet.approved': ['approved', 'Approved', 'check', 'done'],
  'timesheet.approval_revoked': ['approvals taken back', 'Approval taken back', 'back', 'undone'],
  'timesheet.payroll_approved': ['approved for payroll', 'Approved for payroll', 'double', 'done'],
  'timesheet.payroll_approval_revoked': [
    'payroll approvals taken back',
    'Payroll approval taken back',
    'back',
    'undone',
  ],
  'timesheet.processed': ['processed', 'Processed', 'paid', 'done'],
  'timesheet.processing_reverted': ['no longer processed', 'Processing taken back', 'back', 'undone'],
  'timesheet.removed': ['timesheets removed', 'Removed', 'minus', 'undone'],
  'employee.forgotten': ['timesheets forgotten', 'Forgotten', 'minus', 'undone'],
  'timesheet.clocked_in': ['clocked in', 'Clocked in', 'in', 'calm'],
  'timesheet.clock_in_corrected': ['clock-ins corrected', 'Clock-in corrected', 'edit', 'calm'],
  'timesheet.clock_in_removed': ['clock-ins removed', 'Clock-in removed', 'back', 'undone'],
  'timesheet.clocked_out': ['clocked out', 'Clocked out', 'out', 'calm'],
  'timesheet.clock_out_corrected': ['clock-outs corrected', 'Clock-out corrected', 'edit', 'calm'],
  'timesheet.clock_out_removed': ['clock-outs removed', 'Clock-out removed', 'back', 'undone'],
  'timesheet.clock_in_missing': ['clock-ins missing', 'Clock-in missing', 'notice', 'watch'],
  'timesheet.clock_out_missing': ['clock-outs missing', 'Clock-out missing', 'notice', 'watch'],
  'timesheet.snapshot': ['timesheet snapshots', 'Snapshot', 'sum', 'calm'],
};

/** How a type about a timesheet reads in an alert. */
interface TimesheetWords {
  readonly says: (context: SentenceContext) => TimesheetSaid;
  /** What happened, for the story of the timesheet; null where values changed. */
  readonly step: (context: SentenceContext) => TimesheetStory['step'];
  /** What somebody has to do; null for nothing. */
  readonly asks?: (context: SentenceContext) => Asked | null;
  /** That somebody has not clocked in or out, and what of it stands below a heading with that. */
  readonly absent?: Clocking;
  /** Reasons for being late that go without saying: what was revoked stood before. */
  readonly implies?: readonly string[];
}

export const TIMESHEET_WORDS: Readonly<Record<TimesheetType, TimesheetWords>> = {
  'timesheet.created': {
    says: (context) => toSaid('was', `added${appendShift(context.data.current, context)}`),
    step: () => done('record', 'added', false),
    asks: (context) => askIfLate(context, 'approve', 'added after closing'),
  },
  'timesheet.changed': {
    says: (context) => toSaid('', describeChanges(context.data, createFieldWords(context.data, context))),
    step: () => null,
    asks: askForDifference,
  },
  'timesheet.approved': {
    says: (context) => {
      const again = describeRepeat('approvedHours', context);
      return toSaid('was', `approved${again} ${when(context)}${appendHours(context)}`);
    },
    step: (context) => done('approval', 'approved', isSet(context.data.previous, 'approvedHours')),
    asks: (context) => askIfLate(context, 'pay', 'approved after closing'),
  },
  'timesheet.approval_revoked': {
    says: (context) => {
      const former = describeFormer('approvedHours', context);
      return toSaid('is', `no longer approved: the approval${former} was revoked ${when(context)}`);
    },
    step: () => undone('approval', 'no longer approved'),
    implies: ['approval'],
    asks: (context) => askIfLate(context, 'holdBack', 'no longer approved'),
  },
  'timesheet.payroll_approved': {
    says: (context) => {
      const reference = readReference(context.data.current);
      const again = formatRepeat(readReference(context.data.previous));
      const by = reference === '' ? '' : ` (reference ${reference})`;
      return toSaid('was', `approved for payroll${again} ${when(context)}${by}`);
    },
    step: (context) =>
      done('payroll', 'approved for payroll', isSet(context.data.previous, 'approvedPayroll')),
    asks: (context) => askIfLate(context, 'processNow', 'approved for payroll after closing'),
  },
  'timesheet.payroll_approval_revoked': {
    says: (context) => {
      const reference = readReference(context.data.previous);
      const approval = `the approval${reference === '' ? '' : ` ${reference}`}`;
      return toSaid('is', `no longer approved for payroll: ${approval} was revoked ${when(context)}`);
    },
    step: () => undone('payroll', 'no longer approved for payroll'),
    implies: ['approval'],
    asks: (context) => askIfLate(context, 'holdBack', 'no longer approved for payroll'),
  },
  'timesheet.processed': {
    says: (context) => {
      const again = describeRepeat('processed', context) || describeReprocessing(context);
      const hours = `${appendHours(context)}${describeHoursBefore(context)}`;
      return toSaid('was', `processed${again} ${when(context)}${hours}`);
    },
    step: (context) =>
      done(
        'processing',
        'processed',
        isSet(context.data.previous, 'processed') || isReprocessing(context.data),
      ),
    asks: askAfterReversal,
  },
  'timesheet.processing_reverted': {
    says: (context) => {
      const hours = inBrackets(formatHoursToPay(context.data.current));
      const processing = `the processing${describeFormer('processed', context)}`;
      return toSaid('is', `no longer processed${hours}: ${processing} was reverted ${when(context)}`);
    },
    step: () => undone('processing', 'no longer processed'),
    implies: ['approval', 'processing'],
    asks: (context) => askFor(context, 'holdBack', 'its processing was undone'),
  },
  'timesheet.removed': {
    says: (context) =>
      toSaid('was', `removed ${when(context)}${appendShift(context.data.previous, context)}`),
    step: () => undone('record', 'removed'),
    asks: askAfterRemoval,
  },
  'timesheet.clocked_in': /* @__PURE__ */ describeClocking('clock-in', (context) =>
    describeClocked('clockIn', context),
  ),
  'timesheet.clock_in_corrected': /* @__PURE__ */ describeClocking('clock-in', (context) =>
    describeCorrected('clockIn', context),
  ),
  'timesheet.clock_in_removed': /* @__PURE__ */ describeClocking('clock-in', (context) =>
    describeRemoved('clockIn', context),
  ),
  'timesheet.clocked_out': /* @__PURE__ */ describeClocking('clock-out', (context) =>
    describeClocked('clockOut', context),
  ),
  'timesheet.clock_out_corrected': /* @__PURE__ */ describeClocking('clock-out', (context) =>
    describeCorrected('clockOut', context),
  ),
  'timesheet.clock_out_removed': /* @__PURE__ */ describeClocking('clock-out', (context) =>
    describeRemoved('clockOut', context),
  ),
  'timesheet.clock_in_missing': /* @__PURE__ */ describeAbsence('clockIn', 'missing clock-in'),
  'timesheet.clock_out_missing': /* @__PURE__ */ describeAbsence('clockOut', 'missing clock-out'),
};

function when({ data, timeContext }: SentenceContext): string {
  return describeOccurrence(data, timeContext);
}

function isSet(state: EventState, field: string): boolean {
  return readText(state, field) !== null;
}

/** `: 09:00 - 17:00, 7.5 h to pay`. */
function appendShift(state: EventState, context: SentenceContext): string {
  return appendParts([formatShift(state, context), formatHoursToPay(state)]);
}

/** ` with 7.5 h to pay`. */
function appendHours({ data }: SentenceContext): string {
  const hours = formatHoursToPay(data.current);
  return hours === '' ? '' : ` with ${hours}`;
}

function inBrackets(text: string): string {
  return text === '' ? '' : ` (${text})`;
}

/** `, as when it was reverted`, or `, +0.5 h since it was reverted (7.5 h)`. */
function describeHoursBefore({ data, audience: { hoursBefore = null } }: SentenceContext): string {
  const hours = readNumber(data.current, 'hoursToPay');
  if (hoursBefore === null || hours === null) return '';
  if (hours === hoursBefore) return ', as when it was reverted';
  const change = formatChange(hours - hoursBefore);
  return `, ${change} since it was reverted (${formatHours(hoursBefore)})`;
}

/** ` again` for a processing that settles a reverted one. */
function describeReprocessing({ data }: SentenceContext): string {
  return isReprocessing(data) ? ' again' : '';
}

/** ` again (before: Fri 13 Nov 10:15)` when a new stamp replaces an old one. */
function describeRepeat(field: string, context: SentenceContext): string {
  const before = readText(context.data.previous, field);
  return formatRepeat(before === null ? '' : formatStamp(before, context.timeContext));
}

function formatRepeat(before: string): string {
  return before === '' ? '' : ` again (before: ${before})`;
}

/** ` of Fri 13 Nov 10:15`: the stamp that was removed. */
function describeFormer(field: string, { data, timeContext }: SentenceContext): string {
  const stamp = readText(data.previous, field);
  return stamp === null ? '' : ` of ${formatStamp(stamp, timeContext)}`;
}

/** Of payroll. Never formatted as a date, although a reference may look like one. */
function readReference(state: EventState): string {
  return cleanText(readText(state, 'approvedPayroll') ?? '');
}
