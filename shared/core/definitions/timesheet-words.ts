import {
  describeAbsent,
  describeCleared,
  describeGone,
  describeMissing,
  describeMoved,
} from '../../absences/absence-sentences.ts';
import type { RecordEventType, ShortEventType, SnapshotType } from '../event-types.ts';
import { cleanText } from '../messages/clean-text.ts';
import { readClockTime } from '../messages/clock-times.ts';
import { describeChanges } from '../messages/field-changes.ts';
import { formatStamp } from '../messages/moments.ts';
import { formatChange, formatHours } from '../messages/numbers.ts';
import { describeOccurrence, type EventState, readNumber, readText } from '../messages/record-events.ts';
import { createFieldWords, describeReprocessing } from '../messages/timesheet-fields.ts';
import {
  appendParts,
  formatHoursToPay,
  formatShift,
  type SentenceContext,
} from '../messages/timesheet-sentences.ts';
import type { TimesheetStory } from '../messages/timesheet-story.ts';
import type { AlertNews, ConsoleWords } from './event-definition.ts';
import {
  type Asked,
  askAfterRemoval,
  askAfterReversal,
  askFor,
  askForDifference,
  askIfLate,
} from './timesheet-actions.ts';

type OfTimesheet = Extract<ShortEventType, `timesheet.${string}` | 'record.forgotten'>;
/** Types about a change of a timesheet. */
export type TimesheetType = Exclude<OfTimesheet, SnapshotType | 'record.forgotten'>;

/** How alerts treat each type about a timesheet. */
export const TIMESHEET_NEWS = {
  'timesheet.created': {
    counted: ['timesheet', 'added'],
    countsRecords: true,
    plain: 'A timesheet was added',
    byDefault: 'late',
    settledByProcessing: true,
    isGoodInTime: true,
    saysMost: 2,
  },
  'timesheet.changed': {
    counted: ['timesheet', 'changed'],
    countsRecords: true,
    plain: 'A timesheet was changed',
    byDefault: 'late',
    settledByProcessing: true,
    movesProcessing: 'with_date',
    endsClocking: true,
    saysMost: 1,
  },
  'timesheet.approved': {
    counted: ['timesheet', 'approved'],
    countsRecords: true,
    plain: 'A timesheet was approved',
    byDefault: 'late',
    isGoodInTime: true,
    mayBeTakenBack: 'approvedHours',
    waits: 'late',
  },
  'timesheet.approval_revoked': {
    counted: ['approval', 'revoked'],
    plain: 'A timesheet is no longer approved',
    byDefault: 'late',
    settledByProcessing: true,
    takesBack: true,
  },
  'timesheet.payroll_approved': {
    counted: ['timesheet', 'approved for payroll'],
    countsRecords: true,
    plain: 'A timesheet was approved for payroll',
    byDefault: 'late',
    isGoodInTime: true,
    mayBeTakenBack: 'approvedPayroll',
    waits: 'late',
  },
  'timesheet.payroll_approval_revoked': {
    counted: ['payroll approval', 'revoked'],
    plain: 'A timesheet is no longer approved for payroll',
    byDefault: 'late',
    settledByProcessing: true,
    takesBack: true,
  },
  'timesheet.processed': {
    counted: ['timesheet', 'processed'],
    countsRecords: true,
    plain: 'A timesheet was processed',
    settlesTimesheet: true,
    movesProcessing: true,
    endsMatter: true,
    waits: 'while_open',
  },
  'timesheet.processing_reverted': {
    counted: ['timesheet', 'no longer processed'],
    countsRecords: true,
    plain: 'A timesheet is no longer processed',
    byDefault: 'late',
    settledByProcessing: true,
    movesProcessing: true,
    waits: 'while_open',
  },
  'timesheet.removed': {
    counted: ['timesheet', 'removed'],
    countsRecords: true,
    plain: 'A timesheet was removed',
    byDefault: 'late',
    movesProcessing: true,
    endsClocking: true,
    saysMost: 3,
  },
  'record.forgotten': { counted: ['timesheet', 'forgotten'], countsRecords: true },
  'timesheet.clocked_in': { counted: ['clock-in', ''], byDefault: 'late', waits: 'late' },
  'timesheet.clock_in_corrected': { counted: ['clock-in', 'corrected'], byDefault: 'late', waits: 'late' },
  'timesheet.clock_in_removed': { counted: ['clock-in', 'removed'], byDefault: 'late', waits: 'late' },
  'timesheet.clocked_out': { counted: ['clock-out', ''], byDefault: 'late', waits: 'late' },
  'timesheet.clock_out_corrected': { counted: ['clock-out', 'corrected'], byDefault: 'late', waits: 'late' },
  'timesheet.clock_out_removed': { counted: ['clock-out', 'removed'], byDefault: 'late', waits: 'late' },
  'timesheet.clock_in_missing': {
    counted: ['clock-in', 'missing'],
    plain: 'A clock-in is missing',
    missing: 'clockInMissing',
    mayBeTakenBack: true,
  },
  'timesheet.clock_in_missing_cleared': {
    counted: ['clock-in', 'no longer missing'],
    plain: 'A clock-in is no longer missing',
    endsClocking: true,
    takesBack: true,
    endsMatter: true,
  },
  'timesheet.clock_out_missing': {
    counted: ['clock-out', 'missing'],
    plain: 'A clock-out is missing',
    missing: 'clockOutMissing',
    mayBeTakenBack: true,
  },
  'timesheet.clock_out_missing_cleared': {
    counted: ['clock-out', 'no longer missing'],
    plain: 'A clock-out is no longer missing',
    endsClocking: true,
    takesBack: true,
    endsMatter: true,
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
  'record.forgotten': ['timesheets forgotten', 'Forgotten', 'minus', 'undone'],
  'timesheet.clocked_in': ['clocked in', 'Clocked in', 'in', 'calm'],
  'timesheet.clock_in_corrected': ['clock-ins corrected', 'Clock-in corrected', 'edit', 'calm'],
  'timesheet.clock_in_removed': ['clock-ins removed', 'Clock-in removed', 'back', 'undone'],
  'timesheet.clocked_out': ['clocked out', 'Clocked out', 'out', 'calm'],
  'timesheet.clock_out_corrected': ['clock-outs corrected', 'Clock-out corrected', 'edit', 'calm'],
  'timesheet.clock_out_removed': ['clock-outs removed', 'Clock-out removed', 'back', 'undone'],
  'timesheet.clock_in_missing': ['clock-ins missing', 'Clock-in missing', 'notice', 'watch'],
  'timesheet.clock_in_missing_cleared': [
    'clock-ins no longer missing',
    'Clock-in no longer missing',
    'in',
    'calm',
  ],
  'timesheet.clock_out_missing': ['clock-outs missing', 'Clock-out missing', 'notice', 'watch'],
  'timesheet.clock_out_missing_cleared': [
    'clock-outs no longer missing',
    'Clock-out no longer missing',
    'out',
    'calm',
  ],
  'timesheet.snapshot': ['timesheet snapshots', 'Snapshot', 'sum', 'calm'],
};

/** How people are told of a type about a timesheet. */
interface TimesheetWords {
  /** The sentence after who and when, without the full stop. */
  readonly says: (context: SentenceContext) => string;
  /** What happened, for the story of the timesheet; null where values changed. */
  readonly step: (context: SentenceContext) => TimesheetStory['step'];
  /** What somebody has to do, before and after whose timesheet it is; null for nothing. */
  readonly asks?: (context: SentenceContext) => Asked | null;
  /** Reasons for being late that go without saying: what was revoked stood before. */
  readonly implies?: readonly string[];
}

export const TIMESHEET_WORDS: Readonly<Record<TimesheetType, TimesheetWords>> = {
  'timesheet.created': {
    says: (context) => ` was added${appendShift(context.data.current, context)}`,
    step: () => done('record', 'added', false),
    asks: (context) => askIfLate(context, 'Approve', ': added after closing'),
  },
  'timesheet.changed': {
    says: (context) =>
      `: ${describeChanges(context.data, createFieldWords(context.data, context))}${describeMoved(context.data)}`,
    step: () => null,
    asks: askForDifference,
  },
  'timesheet.approved': {
    says: (context) =>
      ` was approved${describeRepeat('approvedHours', context)} ${when(context)}${appendHours(context)}`,
    step: ({ data }) => done('approval', 'approved', isSet(data.previous, 'approvedHours')),
    asks: (context) => askIfLate(context, 'Pay', ': approved after closing'),
  },
  'timesheet.approval_revoked': {
    says: (context) =>
      ` is no longer approved: the approval${describeFormer('approvedHours', context)} was revoked ${when(context)}`,
    step: () => undone('approval', 'no longer approved'),
    implies: ['approval'],
    asks: (context) => askIfLate(context, 'Hold back', ': no longer approved'),
  },
  'timesheet.payroll_approved': {
    says: (context) =>
      ` was approved for payroll${formatRepeat(readReference(context.data.previous))} ${when(context)}${inBrackets(withWord('reference', readReference(context.data.current)))}`,
    step: ({ data }) => done('payroll', 'approved for payroll', isSet(data.previous, 'approvedPayroll')),
    asks: (context) => askIfLate(context, 'Process', ': approved for payroll after closing'),
  },
  'timesheet.payroll_approval_revoked': {
    says: (context) =>
      ` is no longer approved for payroll: the ${withWord('approval', readReference(context.data.previous)) || 'approval'} was revoked ${when(context)}`,
    step: () => undone('payroll', 'no longer approved for payroll'),
    implies: ['approval'],
    asks: (context) => askIfLate(context, 'Hold back', ': no longer approved for payroll'),
  },
  'timesheet.processed': {
    says: (context) =>
      ` was processed${describeRepeat('processed', context) || describeReprocessing(context.data)} ${when(context)}${appendHours(context)}${describeHoursBefore(context)}`,
    step: ({ data }) =>
      done('processing', 'processed', isSet(data.previous, 'processed') || describeReprocessing(data) !== ''),
    asks: askAfterReversal,
  },
  'timesheet.processing_reverted': {
    says: (context) =>
      ` is no longer processed${inBrackets(formatHoursToPay(context.data.current))}: the processing${describeFormer('processed', context)} was reverted ${when(context)}`,
    step: () => undone('processing', 'no longer processed'),
    implies: ['approval', 'processing'],
    asks: (context) => askFor(context.data.current, 'Hold back', ': its processing was undone'),
  },
  'timesheet.removed': {
    says: (context) =>
      ` was removed ${when(context)}${appendShift(context.data.previous, context)}${describeGone(context.data)}`,
    step: () => undone('record', 'removed'),
    asks: askAfterRemoval,
  },
  'timesheet.clocked_in': {
    says: (context) => `: ${describeClocked('clockIn', context)}`,
    step: (context) => undone('clock-in', describeClocked('clockIn', context)),
    asks: (context) => askIfLate(context, 'Check', `: ${describeClocked('clockIn', context)}`),
  },
  'timesheet.clock_in_corrected': {
    says: (context) => `: ${describeCorrected('clockIn', context)}`,
    step: (context) => undone('clock-in', describeCorrected('clockIn', context)),
    asks: (context) => askIfLate(context, 'Check', `: ${describeCorrected('clockIn', context)}`),
  },
  'timesheet.clock_in_removed': {
    says: (context) => `: the ${nameFormerClocking('clockIn', context)} was removed ${when(context)}`,
    step: (context) => undone('clock-in', `${nameFormerClocking('clockIn', context)} removed`),
    asks: (context) => askIfLate(context, 'Check', `: ${nameFormerClocking('clockIn', context)} removed`),
  },
  'timesheet.clocked_out': {
    says: (context) => `: ${describeClocked('clockOut', context)}`,
    step: (context) => undone('clock-out', describeClocked('clockOut', context)),
    asks: (context) => askIfLate(context, 'Check', `: ${describeClocked('clockOut', context)}`),
  },
  'timesheet.clock_out_corrected': {
    says: (context) => `: ${describeCorrected('clockOut', context)}`,
    step: (context) => undone('clock-out', describeCorrected('clockOut', context)),
    asks: (context) => askIfLate(context, 'Check', `: ${describeCorrected('clockOut', context)}`),
  },
  'timesheet.clock_out_removed': {
    says: (context) => `: the ${nameFormerClocking('clockOut', context)} was removed ${when(context)}`,
    step: (context) => undone('clock-out', `${nameFormerClocking('clockOut', context)} removed`),
    asks: (context) => askIfLate(context, 'Check', `: ${nameFormerClocking('clockOut', context)} removed`),
  },
  'timesheet.clock_in_missing': {
    says: (context) => `: ${describeMissing('clock-in', context)}`,
    step: (context) => done('missing clock-in', describeMissing('clock-in', context), false),
    asks: (context) => ['', describeAbsent('clock-in', context)],
  },
  // What came in the meantime follows the absence: `no clock-in, ..., then clocked in at 08:22`.
  'timesheet.clock_in_missing_cleared': {
    says: (context) => `: ${describeCleared('clock-in', context)}`,
    step: (context) => undone('missing clock-in', describeCleared('clock-in', context)),
  },
  'timesheet.clock_out_missing': {
    says: (context) => `: ${describeMissing('clock-out', context)}`,
    step: (context) => done('missing clock-out', describeMissing('clock-out', context), false),
    asks: (context) => ['', describeAbsent('clock-out', context)],
  },
  'timesheet.clock_out_missing_cleared': {
    says: (context) => `: ${describeCleared('clock-out', context)}`,
    step: (context) => undone('missing clock-out', describeCleared('clock-out', context)),
  },
};

type Clocking = 'clockIn' | 'clockOut';

function done(aspect: string, words: string, repeated: boolean): TimesheetStory['step'] {
  return { aspect, words, done: true, repeated };
}

function undone(aspect: string, words: string): TimesheetStory['step'] {
  return { aspect, words, done: false, repeated: false };
}

function when({ data, timeContext }: SentenceContext): string {
  return describeOccurrence(data, timeContext);
}

function isSet(state: EventState, field: string): boolean {
  return readText(state, field) !== null;
}

/** `clocked in at 09:01`. */
function describeClocked(field: Clocking, context: SentenceContext): string {
  const clocked = field === 'clockIn' ? 'clocked in' : 'clocked out';
  const after = readClockTime(context.data.current?.[field], context.onItsDay);
  return after == null ? `${clocked} ${when(context)}, no time recorded` : `${clocked} ${after.at}`;
}

/** `clock-in 09:01 -> 09:00`. */
function describeCorrected(field: Clocking, { data, onItsDay }: SentenceContext): string {
  const noun = field === 'clockIn' ? 'clock-in' : 'clock-out';
  const before = readClockTime(data.previous?.[field], onItsDay);
  const after = readClockTime(data.current?.[field], onItsDay);
  return before?.text === after?.text
    ? `details of the ${noun}${after == null ? '' : ` ${after.at}`} changed`
    : `${noun} ${before?.text ?? 'without time'} -> ${after?.text ?? 'without time'}`;
}

/** `clock-in at 09:00`. */
function nameFormerClocking(field: Clocking, { data, onItsDay }: SentenceContext): string {
  const before = readClockTime(data.previous?.[field], onItsDay);
  return `${field === 'clockIn' ? 'clock-in' : 'clock-out'}${before == null ? '' : ` ${before.at}`}`;
}

/** `: 09:00 - 17:00, 7.5 h to pay`. */
function appendShift(state: EventState, context: SentenceContext): string {
  return appendParts([formatShift(state, context), formatHoursToPay(state)]);
}

function appendHours({ data }: SentenceContext): string {
  const hours = formatHoursToPay(data.current);
  return hours === '' ? '' : ` with ${hours}`;
}

function inBrackets(text: string): string {
  return text === '' ? '' : ` (${text})`;
}

function withWord(word: string, text: string): string {
  return text === '' ? '' : `${word} ${text}`;
}

/** `, as when it was reverted`, or `, +0.5 h since it was reverted (7.5 h)`. */
function describeHoursBefore({ data, audience: { hoursBefore = null } }: SentenceContext): string {
  const hours = readNumber(data.current, 'hoursToPay');
  if (hoursBefore === null || hours === null) return '';
  return hours === hoursBefore
    ? ', as when it was reverted'
    : `, ${formatChange(hours - hoursBefore)} since it was reverted (${formatHours(hoursBefore)})`;
}

/** ` again (before: Fri 13 Nov 10:15)` when a new stamp replaces an old one. */
function describeRepeat(field: string, { data, timeContext }: SentenceContext): string {
  const before = readText(data.previous, field);
  return formatRepeat(before === null ? '' : formatStamp(before, timeContext));
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
