/** What can fall together with each other, and must be right together. */
export const KNOT_FEATURES = [
  /** Most timesheets of a date lose a fact, or are gone, at once. */
  'hold',
  /** The table is restored from a backup. */
  'restore',
  /** A pay period closes. */
  'closing',
  /** A moment before a deadline, or of a daily summary, comes. */
  'reminder',
  /** A pay period is opened again. */
  'reopen',
  /** A timesheet moves to another date. */
  'move',
  /** An employee goes to another pay calendar. */
  'change of calendar',
  /** Events are sent again. */
  'sending again',
  /** A subscriber gets the state of all records. */
  'snapshot',
  /** Another window is deployed. */
  'config change',
  /** The clock is wrong for some polls, and right again. */
  'clock step',
  /** A poll is killed. */
  'killed poll',
  /** The list of one date fails. */
  'unreadable date',
  /** The source answers that it was asked too often. */
  'throttling',
] as const;
export type KnotFeature = (typeof KNOT_FEATURES)[number];
