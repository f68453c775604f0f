/** When the removals of a slice that loses many records at once are held (rule 6). */
export interface MassDeletionRule {
  /** More than this share of the records of a slice, 0 to 1, and at least `records` of them. */
  readonly share: number;
  readonly records: number;
  /** Minutes after which each missing record is requested by id, and removed if the answer is 404. */
  readonly minutes: number;
}

/** From when on a poll does not believe at once what it sees. */
export interface Guards {
  /** When many records of a slice are missing, or many lost a fact. */
  readonly vanishing: MassDeletionRule;
  /** Polls in a row that must fail before the source counts as unreachable. */
  readonly unreachableAfterPolls: number;
}

/**
 * Half of a date and at least ten people do not vanish within a minute, but in a source that answers with a part of its
 * list. Half an hour is longer than most such faults, and short enough to correct pay. A third failing poll is no hiccup.
 */
export const GUARDS: Guards = {
  vanishing: { share: 0.5, records: 10, minutes: 30 },
  unreachableAfterPolls: 3,
};
