/** Kinds of what can be found, in the order in which they are listed. */
export const FOUND_KINDS = ['date', 'person', 'timesheet', 'period', 'department'] as const;
export type FoundKind = (typeof FOUND_KINDS)[number];

export interface Found {
  readonly kind: FoundKind;
  readonly title: string;
  /** What tells it from others of that title. */
  readonly note: string;
  /** The address of a page, below the place of the console. */
  readonly to: string;
}
