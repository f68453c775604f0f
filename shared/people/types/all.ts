import {
  type EventType,
  PUBLISHED_TYPES,
  type PublishedType,
  type ShortEventType,
} from '../../core/event-types.ts';
import { type Line, type Spans, toText } from '../message.ts';
import { fitLine } from '../messages/clean-text.ts';
import type { ReadableEvent } from '../read-events.ts';
import type { Reader } from '../reader.ts';
import { DIRECTORY } from './directory.ts';
import type { TypeEntry } from './entry.ts';
import { OPERATION_ENTRIES } from './operations.ts';
import { PAY_PERIODS } from './pay-periods.ts';
import { SNAPSHOTS } from './snapshots.ts';
import { TIMESHEETS } from './timesheets.ts';

const ENTRIES = {
  ...TIMESHEETS,
  ...PAY_PERIODS,
  ...DIRECTORY,
  ...OPERATION_ENTRIES,
  ...SNAPSHOTS,
} satisfies Readonly<Record<ShortEventType, unknown>>;

/** The entry of a type. */
export function entryOf(type: EventType): TypeEntry<ReadableEvent> {
  return ENTRIES[type.slice('workforce.'.length) as ShortEventType] as unknown as TypeEntry<ReadableEvent>;
}

/** The types whose entries are so, in the order of the catalogue. */
export function findTypes(isSo: (entry: TypeEntry<ReadableEvent>) => boolean): PublishedType[] {
  return PUBLISHED_TYPES.filter((type) => isSo(entryOf(type)));
}

/** What happened, in one line: whom or what it is about stands out. */
export function sayEvent(event: ReadableEvent, reader: Reader): Spans {
  return entryOf(event.type).says(event, reader);
}

/** The same as a sentence of plain text of at most 600 characters. */
export function toSentence(event: ReadableEvent, reader: Reader): string {
  return fitLine(toText(sayEvent(event, reader)), '.');
}

/** What stands above the lines of a message about one event. */
export function sayHeading(event: ReadableEvent, reader: Reader): string {
  const { heading, says } = entryOf(event.type);
  return heading === undefined ? toText(says(event, reader)) : heading(event, reader);
}

export function listLines(event: ReadableEvent, reader: Reader): readonly Line[] {
  return entryOf(event.type).lines?.(event, reader) ?? [];
}
