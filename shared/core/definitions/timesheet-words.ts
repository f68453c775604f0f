import type { Language } from '../../languages/language.ts';
import { type Filled, type PlacesOf, say } from '../../languages/text.ts';
import type { RecordEventType, ShortEventType, SnapshotType } from '../event-types.ts';
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
} from './clocking-words.ts';
import type { AlertNews, ConsoleWords } from './event-definition.ts';
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

type Said = Language['timesheets']['says'];

/** How a type about a timesheet reads in an alert. */
interface TimesheetWords<Type extends TimesheetType> {
  /** What fills the places of its sentence, besides that of the timesheet. */
  readonly clauses: (
    context: SentenceContext,
  ) => Filled<Exclude<PlacesOf<Said[Type]['sentence']>, 'timesheet'>>;
  /** What happened, for the story of the timesheet; null where values changed. */
  readonly step: (context: SentenceContext) => TimesheetStory['step'];
  /** What somebody has to do; null for nothing. */
  readonly asks?: (context: SentenceContext) => Asked | null;
  /** That somebody has not clocked in or out, and what of it stands below a heading with that. */
  readonly absent?: Clocking;
  /** Reasons for being late that go without saying: what was revoked stood before. */
  readonly implies?: readonly string[];
}

export const TIMESHEET_WORDS: { readonly [Type in TimesheetType]: TimesheetWords<Type> } = {
  'timesheet.created': {
    clauses: (context) => ({ shift: appendShift(context.data.current, context) }),
    step: (context) => done('record', saysOf(context, 'timesheet.created').step, false),
    asks: (context) => askIfLate(context, 'approve', saysOf(context, 'timesheet.created').why),
  },
  'timesheet.changed': {
    clauses: (context) => ({
      changes: describeChanges(context.data, createFieldWords(context.data, context)),
    }),
    step: () => null,
    asks: askForDifference,
  },
  'timesheet.approved': {
    clauses: (context) => ({
      again: describeRepeat('approvedHours', context),
      when: when(context),
      hours: appendHours(context),
    }),
    step: (context) =>
      done(
        'approval',
        saysOf(context, 'timesheet.approved').step,
        isSet(context.data.previous, 'approvedHours'),
      ),
    asks: (context) => askIfLate(context, 'pay', saysOf(context, 'timesheet.approved').why),
  },
  'timesheet.approval_revoked': {
    clauses: (context) => ({ former: describeFormer('approvedHours', context), when: when(context) }),
    step: (context) => undone('approval', saysOf(context, 'timesheet.approval_revoked').step),
    implies: ['approval'],
    asks: (context) => askIfLate(context, 'holdBack', saysOf(context, 'timesheet.approval_revoked').step),
  },
  'timesheet.payroll_approved': {
    clauses: (context) => {
      const reference = readReference(context.data.current);
      return {
        again: formatRepeat(readReference(context.data.previous), context),
        when: when(context),
        reference: reference === '' ? '' : say(context.language.timesheets.reference, { reference }),
      };
    },
    step: (context) =>
      done(
        'payroll',
        saysOf(context, 'timesheet.payroll_approved').step,
        isSet(context.data.previous, 'approvedPayroll'),
      ),
    asks: (context) => askIfLate(context, 'payNow', saysOf(context, 'timesheet.payroll_approved').why),
  },
  'timesheet.payroll_approval_revoked': {
    clauses: (context) => {
      const reference = readReference(context.data.previous);
      return { reference: reference === '' ? '' : ` ${reference}`, when: when(context) };
    },
    step: (context) => undone('payroll', saysOf(context, 'timesheet.payroll_approval_revoked').step),
    implies: ['approval'],
    asks: (context) =>
      askIfLate(context, 'holdBack', saysOf(context, 'timesheet.payroll_approval_revoked').step),
  },
  'timesheet.processed': {
    clauses: (context) => ({
      again: describeRepeat('processed', context) || describeReprocessing(context),
      when: when(context),
      hours: appendHours(context),
      before: describeHoursBefore(context),
    }),
    step: (context) =>
      done(
        'processing',
        saysOf(context, 'timesheet.processed').step,
        isSet(context.data.previous, 'processed') || isReprocessing(context.data),
      ),
    asks: askAfterReversal,
  },
  'timesheet.processing_reverted': {
    clauses: (context) => ({
      hours: inBrackets(formatHoursToPay(context.data.current, context.language)),
      former: describeFormer('processed', context),
      when: when(context),
    }),
    step: (context) => undone('processing', saysOf(context, 'timesheet.processing_reverted').step),
    implies: ['approval', 'processing'],
    asks: (context) => askFor(context, 'holdBack', saysOf(context, 'timesheet.processing_reverted').why),
  },
  'timesheet.removed': {
    clauses: (context) => ({
      when: when(context),
      shift: appendShift(context.data.previous, context),
    }),
    step: (context) => undone('record', saysOf(context, 'timesheet.removed').step),
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

function saysOf<Type extends TimesheetType>({ language }: SentenceContext, type: Type): Said[Type] {
  return language.timesheets.says[type];
}

function when({ data, timeContext }: SentenceContext): string {
  return describeOccurrence(data, timeContext);
}

function isSet(state: EventState, field: string): boolean {
  return readText(state, field) !== null;
}

/** `: 09:00 - 17:00, 7.5 h to pay`. */
function appendShift(state: EventState, context: SentenceContext): string {
  return appendParts([formatShift(state, context), formatHoursToPay(state, context.language)]);
}

/** ` with 7.5 h to pay`. */
function appendHours({ data, language }: SentenceContext): string {
  const hours = formatHoursToPay(data.current, language);
  return hours === '' ? '' : say(language.timesheets.withHours, { hours });
}

function inBrackets(text: string): string {
  return text === '' ? '' : ` (${text})`;
}

/** `, as when it was reverted`, or `, +0.5 h since it was reverted (7.5 h)`. */
function describeHoursBefore({ data, language, audience: { hoursBefore = null } }: SentenceContext): string {
  const hours = readNumber(data.current, 'hoursToPay');
  if (hoursBefore === null || hours === null) return '';
  const { asWhenReverted, sinceReverted } = language.timesheets;
  if (hours === hoursBefore) return asWhenReverted;
  const change = formatChange(hours - hoursBefore, language);
  return say(sinceReverted, { change, before: formatHours(hoursBefore, language) });
}

/** ` again` for a processing that settles a reverted one. */
function describeReprocessing({ data, language }: SentenceContext): string {
  return isReprocessing(data) ? language.timesheets.again : '';
}

/** ` again (before: Fri 13 Nov 10:15)` when a new stamp replaces an old one. */
function describeRepeat(field: string, context: SentenceContext): string {
  const before = readText(context.data.previous, field);
  return formatRepeat(before === null ? '' : formatStamp(before, context.timeContext), context);
}

function formatRepeat(before: string, { language }: SentenceContext): string {
  return before === '' ? '' : say(language.timesheets.againAfter, { before });
}

/** ` of Fri 13 Nov 10:15`: the stamp that was removed. */
function describeFormer(field: string, { data, timeContext, language }: SentenceContext): string {
  const stamp = readText(data.previous, field);
  return stamp === null ? '' : say(language.timesheets.former, { stamp: formatStamp(stamp, timeContext) });
}

/** Of payroll. Never formatted as a date, although a reference may look like one. */
function readReference(state: EventState): string {
  return cleanText(readText(state, 'approvedPayroll') ?? '');
}
