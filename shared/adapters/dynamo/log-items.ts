import * as z from 'zod';
import type { EventTopic } from '../../core/event-types.ts';
import { instantOfLogKey, type LogPosition, toLogKey } from '../../core/snapshot/log-key.ts';
import type { LogItem, LogWrite } from '../../flow/poll/ports.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem } from './attributes.ts';
import { compressed, decompressed } from './compression.ts';
import { readSortKey, toItem } from './items.ts';
import { toLogItemKey } from './keys.ts';
import { CURSORS } from './state-item.ts';

/** Compressed, so far below the 400 KB of an item that its other attributes fit. */
const MAX_BODY_BYTES = 350_000;
/** Texts of an item together; far below what is decompressed at most. */
const MAX_TEXT_CHARACTERS = 8_000_000;
/** Between texts: JSON on one line has none of its own. */
const SEPARATOR = '\n';
const TOPIC = 't';

const logItemSchema = z.object({
  [ATTRIBUTE.body]: bytesSchema,
  [TOPIC]: z.enum(Object.keys(CURSORS) as [EventTopic, ...EventTopic[]]),
});

export interface LoggedWrites {
  readonly items: readonly Item[];
  /** Of the last item of each write. */
  readonly keys: readonly string[];
  /** Of the last item. */
  readonly last: LogPosition;
}

/** Items of the log, from a position on; more than one where the events of a topic do not fit into one. */
export function toLogItems(
  connection: string,
  log: readonly LogWrite[],
  { first, expiresAt }: { readonly first: LogPosition; readonly expiresAt: number },
): LoggedWrites {
  const items: Item[] = [];
  const keys: string[] = [];
  const position = () => ({ ...first, number: first.number + items.length });
  let last = first;
  for (const { topic, texts } of log) {
    for (const body of pack(texts)) {
      last = position();
      const key = toLogItemKey(connection, toLogKey(last));
      items.push(toItem(key, { [TOPIC]: topic, [ATTRIBUTE.body]: body }, expiresAt));
    }
    keys.push(toLogKey(last));
  }
  return { items, keys, last };
}

function pack(texts: readonly string[]): Uint8Array[] {
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  const middle = Math.ceil(texts.length / 2);
  const halve = () => [...pack(texts.slice(0, middle)), ...pack(texts.slice(middle))];
  if (texts.length > 1 && characters > MAX_TEXT_CHARACTERS) return halve();
  const body = compressed(texts.join(SEPARATOR));
  return texts.length > 1 && body.length > MAX_BODY_BYTES ? halve() : [body];
}

/** Null for an item of another topic. Throws `NotifierError` `store_format_unknown` or `store_item_unreadable`. */
export function readLogItem(item: Item, wanted?: EventTopic): LogItem | null {
  const { [TOPIC]: topic, [ATTRIBUTE.body]: body } = readItem(logItemSchema, item);
  if (wanted !== undefined && topic !== wanted) return null;
  const key = readSortKey(item);
  return { key, topic, committedAt: instantOfLogKey(key), texts: decompressed(body).split(SEPARATOR) };
}
