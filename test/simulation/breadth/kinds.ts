/** What goes wrong, or is otherwise, in a share of the histories besides their faults; drawn from a stream of its own. */
export const BREADTH_KINDS = [
  /** A field of most timesheets has another form for a while. */
  'form_changed',
  /** The topic refuses an event for good. */
  'event_refused',
  /** A batch is gone from the event log before it was published. */
  'batch_expired',
  /** A removed record comes back when its removal is forgotten. */
  'removal_forgotten',
  /** The table is as a version left it that watched one field less. */
  'field_added',
  /** The table is as a version left it that knew no epochs. */
  'rolled_back',
  /** A poll waits and looks again. */
  'looked_again',
] as const;
export type BreadthKind = (typeof BREADTH_KINDS)[number];
