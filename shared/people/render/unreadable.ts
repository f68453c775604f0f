import { topicOf } from '../../core/event-types.ts';
import type { Group } from '../groups.ts';
import { cleanText } from '../messages/clean-text.ts';
import { formatAt } from '../messages/moments.ts';
import { formatCount } from '../messages/numbers.ts';
import { nameService, toTimeContext } from '../reader.ts';
import { entryOf } from '../types/all.ts';
import { nameRecordOf } from '../types/operations.ts';
import { type MessageReader, type Rendered, urlOfRecord } from './rendered.ts';

/** In the place of an event whose data cannot be read: which record it is about, and where to look. */
export function renderUnreadable({ events, connection }: Group, reader: MessageReader): Rendered | null {
  const envelope = events[0]?.envelope ?? null;
  if (envelope === null) return null;
  const { type, source, subject, time } = envelope;
  const feed = source.slice(source.lastIndexOf('/') + 1);
  const isOfRecord = subject !== undefined && topicOf(type) !== 'operations';
  const named = isOfRecord ? nameRecordOf(feed, cleanText(subject)) : undefined;
  const record = named ?? `The watching of connection ${cleanText(connection)}`;
  const seen = `${formatCount(1, ...entryOf(type).counted)}, seen ${formatAt(Date.parse(time), toTimeContext(time, reader))}`;
  return {
    heading: `${record}: a message cannot be shown`,
    lines: [{ spans: [`${seen}. Look it up in ${nameService(reader)}.`] }],
    more: new Set(events.map((each) => each.envelope?.subject)).size - 1,
    url: isOfRecord ? urlOfRecord(subject, connection, reader) : undefined,
  };
}
