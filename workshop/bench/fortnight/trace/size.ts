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

/** Sizes between which others are interpolated, the smallest first. */
const KNOWN: readonly FortnightSize[] = [THIRTY, TWO_THOUSAND, PLANNING];
const PEOPLE_PER_ORGANISATION = 250;

/** A size of so many people, whose shares lie between those of the known sizes. */
export function createSize({
  people,
  calendars,
}: Pick<FortnightSize, 'calendars' | 'people'>): FortnightSize {
  const between = (value: (size: FortnightSize) => number) =>
    interpolate(
      people,
      KNOWN.map((size) => [size.people, value(size)]),
    );
  return {
    name: `${people.toLocaleString('en')} people`,
    people,
    weekdayShare: between(({ weekdayShare }) => weekdayShare),
    weekendShare: between(({ weekendShare }) => weekendShare),
    organisations: Math.max(calendars, Math.round(people / PEOPLE_PER_ORGANISATION)),
    calendars,
  };
}

/** The value at `x`, on a straight line over the logarithm of x; that of the nearest point outside of the points. */
export function interpolate(x: number, points: readonly (readonly [x: number, value: number])[]): number {
  const above = points.findIndex(([position]) => position >= x);
  const right = points[above < 0 ? points.length - 1 : above];
  const left = points[above - 1];
  if (right === undefined) throw new Error('there are no points to interpolate between');
  if (left === undefined || above < 0) return right[1];
  const share = Math.log(x / left[0]) / Math.log(right[0] / left[0]);
  return left[1] + share * (right[1] - left[1]);
}
