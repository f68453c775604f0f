import type * as z from 'zod';

/** What subscribers can rely on of a type of event. */
export interface EventContract {
  /** One sentence, for documents. */
  readonly meaning: string;
  /** Schema of its `data`. */
  readonly data: z.ZodObject;
}

/** What a channel can be told: the news of one purpose. */
export const PRESETS = ['approvals', 'closings', 'late-changes', 'missing-clockings', 'troubles'] as const;
export type Preset = (typeof PRESETS)[number];

/** How alerts treat a type of event. It holds no sentence, so that whoever sends messages holds none. */
export interface AlertNews {
  /** Distinct records are counted; without it, every alert. */
  readonly countsRecords?: true;
  /** Which channels are told; nobody without it. Of late changes, those after processing or close. */
  readonly preset?: Preset;
  /** Sent at once, also in quiet hours. */
  readonly isUrgent?: true;
  /** When it is late or a reversal, it leaves something open that the processing of its timesheet settles. */
  readonly settledByProcessing?: true;
  /** It says how far a pay period is: the latest says it all. */
  readonly isDue?: true;
  /** It says more than any alert before it about how far its pay period is. */
  readonly replacesDue?: true;
  /** It settles what was said of its timesheet before. */
  readonly settlesTimesheet?: true;
  /** Good news, unless its pay period closed before it. */
  readonly isGoodInTime?: true;
  /** Of several alerts about a timesheet, the one that says most names what became of it. */
  readonly saysMost?: number;
  /** It may end a missing clocking: that came, is not waited for any more, or its timesheet went. */
  readonly endsClocking?: true;
  /** It is not sent when it is taken back before; of a field, unless that had a value before it. */
  readonly mayBeTakenBack?: 'approvedHours' | 'approvedPayroll' | true;
  /**
   * It takes such a type back. No other reversal cancels anything, however quick it was: somebody may have acted on a
   * clocking, a closing or a processing.
   */
  readonly takesBack?: true;
  /**
   * After processing or closing it can wait for more of the same pay period. A step of processing waits only in a period
   * that is open, whose pay file is still to come.
   */
  readonly waits?: 'late' | 'while_open';
}

/** A shape says the kind of an event without its colour. */
export type Mark =
  | 'in'
  | 'out'
  | 'check'
  | 'double'
  | 'paid'
  | 'edit'
  | 'plus'
  | 'minus'
  | 'back'
  | 'lock'
  | 'sum'
  | 'notice';
/** `calm`: work goes on. `undone`: something was taken back. `watch`: about the watching itself. */
export type Tone = 'calm' | 'done' | 'undone' | 'watch';

/** What the console calls a type: after a number above one (`102 approved for payroll`), and as a heading. */
export type ConsoleWords = readonly [many: string, one: string, mark: Mark, tone: Tone];
