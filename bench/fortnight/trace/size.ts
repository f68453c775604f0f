export interface FortnightSize {
  readonly name: string;
  readonly people: number;
  /** Share of the people with a timesheet on a working day, and on a Saturday or Sunday. */
  readonly weekdayShare: number;
  readonly weekendShare: number;
  /** Each has its own manager and publishes its own roster. */
  readonly organisations: number;
  /** Weekly pay calendars that begin on different days of the week. */
  readonly calendars: number;
}

export const THIRTY: FortnightSize = {
  name: '30 people',
  people: 30,
  weekdayShare: 0.7,
  weekendShare: 0.25,
  organisations: 1,
  calendars: 1,
};

export const TWO_THOUSAND: FortnightSize = {
  name: '2,000 people',
  people: 2_000,
  weekdayShare: 0.7,
  weekendShare: 0.35,
  organisations: 8,
  calendars: 2,
};

/** The size to plan for: about 700,000 timesheets in the window and 87,000 changes a day. */
export const PLANNING: FortnightSize = {
  name: '50,000 people',
  people: 50_000,
  weekdayShare: 0.335,
  weekendShare: 0.19,
  organisations: 200,
  calendars: 2,
};
