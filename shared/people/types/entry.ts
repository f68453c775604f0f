import type { Preset } from '../../core/definitions/event-definition.ts';
import type { Line, Spans } from '../message.ts';
import type { Reader } from '../reader.ts';
import type { Delay } from '../waiting-event.ts';

/** All that people read of a type of event. */
export interface TypeEntry<Event> {
  /** Which channels are told; nobody without it. */
  readonly tells?: Preset;
  /** How long it may wait for others, or once its pay period closed no longer than a minute; absent: a minute. */
  readonly delay?: Delay | 'hour_while_open';
  /** Sent in quiet hours, too. */
  readonly urgent?: true;
  /** It may end a missing clocking: that came, is not waited for any more, or its timesheet went. */
  readonly endsClocking?: true;
  /** What a heading counts: one, and several. */
  readonly counted: readonly [one: string, many: string];
  /** What happened, in one line without a full stop: whom or what it is about stands out. */
  readonly says: (event: Event, reader: Reader) => Spans;
  /** What to do about it, or what happened, on one line; absent: as `says`. */
  readonly heading?: (event: Event, reader: Reader) => string;
  /** What stands below the heading; absent: nothing. */
  readonly lines?: (event: Event, reader: Reader) => readonly Line[];
}
