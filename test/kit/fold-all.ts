import { type FoldState, fold, type RecordEvent } from 'workforce-change-notifier';

/** The state after some events of one record, of which there is one at least. */
export function foldAll<Event extends RecordEvent>(events: readonly Event[]): FoldState<Event> {
  const [first, ...others] = events;
  if (first === undefined) throw new Error('no events');
  return others.reduce((state, event) => fold(state, event).state, fold(null, first).state);
}
