/** A fact that most records of a slice lost at once, as a second scan confirmed it. Instants since 1970 in ms. */
export interface ConfirmedLoss {
  readonly field: string;
  /** Records that lost it, and how many the slice had. */
  readonly records: number;
  readonly known: number;
  /** Starts of the first scan that showed it, and of the one that confirmed it. */
  readonly since: number;
  readonly at: number;
  /** Of the records, those whose loss is committed. */
  readonly published: number;
}

/** A fact that some records lost, believed at once. `at`: start of the scan that saw it, in ms since 1970. */
export interface RecentLoss {
  readonly field: string;
  readonly records: number;
  readonly at: number;
}

/** Key of a loss in the feed's state: names of slices hold no space. */
export function toLossKey(slice: string, field: string): string {
  return `${slice} ${field}`;
}

export function toSlice(key: string): string {
  return key.slice(0, key.indexOf(' '));
}
