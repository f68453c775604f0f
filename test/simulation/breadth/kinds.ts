/** Further features and faults of some histories, drawn from a separate stream. */
export const BREADTH_KINDS = [
  /** A field of most timesheets has another form for a time. */
  'form_changed',
  /** The topic refuses an event for good. */
  'event_refused',
  /** A batch expires in the event log before it is published. */
  'batch_expired',
  /** A removed record returns after its tombstone has expired. */
  'removal_forgotten',
  /** All rows lack the last watched field. */
  'field_added',
  /** A follow-up reads busy dates again; its message is lost, or comes twice. */
  'looked_again',
  'follow_up_lost',
  'follow_up_doubled',
  /** Most timesheets of a date lose a fact at once. */
  'facts_taken',
  /** The instant of a closing is written in another notation. */
  'closed_rewritten',
  /** A list has a pay period twice, open and closed. */
  'listed_twice',
  /** The source refuses a request of the product's rate limiter, and admits it later. */
  'source_limited',
  /** All clocks are set back or ahead for some time. */
  'clock_stepped',
] as const;
export type BreadthKind = (typeof BREADTH_KINDS)[number];
