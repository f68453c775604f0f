import * as z from 'zod';
import { MESSAGE_FLAGS } from '../core/message-flags.ts';
import { parseJsonOrNull } from '../core/parse-json.ts';

/** Limits of one request to EventBridge: entries, and bytes of all of them together. */
const MAX_REQUEST_ENTRIES = 10;
export const MAX_REQUEST_BYTES = 256 * 1024;
/** What EventBridge counts for a time, whatever its notation. */
const TIME_BYTES = 14;

/** What an entry takes from an event. Everything else, and unknown types, pass through unread. */
const eventSchema = z.object({
  id: z.string().min(1),
  source: z.string().min(1),
  type: z.string().min(1),
  time: z.iso.datetime({ offset: true }),
});

/** An event as it goes on the bus. */
export interface BusEntry {
  readonly eventId: string;
  /** As in the event: `/connections/{name}/{feed}`. */
  readonly source: string;
  /** The type of the event. */
  readonly detailType: string;
  /** As in the event, RFC 3339. */
  readonly time: string;
  /** The CloudEvent as JSON, byte for byte as published. */
  readonly detail: string;
  /** `replayed` or `example`: an entry has no attributes for them. */
  readonly resources: readonly string[];
}

/** The entry of a message; null when its body is not an event of this product. */
export function toBusEntry(body: string, attributes: Readonly<Record<string, string>>): BusEntry | null {
  const parsed = eventSchema.safeParse(parseJsonOrNull(body));
  if (!parsed.success) return null;
  const { id, source, type, time } = parsed.data;
  const resources = Object.values(MESSAGE_FLAGS).filter((mark) => attributes[mark] === 'true');
  return { eventId: id, source, detailType: type, time, detail: body, resources };
}

/** Splits entries into requests, in order. An entry that is too large for any request has one alone. */
export function splitIntoRequests<Item extends { readonly entry: BusEntry }>(
  items: readonly Item[],
): Item[][] {
  const requests: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = countBytes(item.entry);
    const last = requests.at(-1);
    const fits = last !== undefined && last.length < MAX_REQUEST_ENTRIES && bytes + size < MAX_REQUEST_BYTES;
    if (fits) last.push(item);
    else requests.push([item]);
    bytes = fits ? bytes + size : size;
  }
  return requests;
}

/** Whether an entry is too large for any request. */
export function exceedsRequest(entry: BusEntry): boolean {
  return countBytes(entry) >= MAX_REQUEST_BYTES;
}

/** As EventBridge counts, in UTF-8. */
function countBytes({ source, detailType, detail, resources }: BusEntry): number {
  const length = (text: string) => new TextEncoder().encode(text).length;
  return [source, detailType, detail, ...resources].reduce((sum, text) => sum + length(text), TIME_BYTES);
}
