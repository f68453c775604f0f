import { createPainter, escapeUnprintable } from '#shared/terminal/output.ts';
import type { Entry, EventEntry } from './entry.ts';
import { begin, layOutDelivery, layOutEntry, type Paper, toBold } from './lines.ts';

/** Fewer entries that are alike stay as they are. */
const MIN_BURST = 5;

/** The lines of entries that came together: as many as a burst that are alike are one line, which counts them. */
export function layOutTogether(entries: readonly Entry[], paper: Paper): string[] {
  const alike = Map.groupBy(entries, (entry) => findLikeness(entry) ?? entry);
  return [...alike.values()].flatMap((group) => {
    const events = group.filter((entry) => entry.kind === 'event');
    const [event] = events;
    if (event !== undefined && events.length >= MIN_BURST) return [layOutEvents(event, events, paper)];
    const deliveries = group.flatMap((entry) => (entry.kind === 'delivery' ? [entry.delivery] : []));
    const [delivery] = deliveries;
    if (delivery !== undefined && deliveries.length >= MIN_BURST)
      return [layOutDelivery(delivery, [String(deliveries.length), delivery.type], paper)];
    return group.flatMap((entry) => layOutEntry(entry, paper));
  });
}

/** Null for what is like nothing else. */
function findLikeness(entry: Entry): string | null {
  if (entry.kind === 'event') return entry.type;
  if (entry.kind !== 'delivery' || entry.delivery.type === '') return null;
  const { webhook, did, type } = entry.delivery;
  return `${webhook} ${did} ${type}`;
}

/** `5 timesheets approved, 4 people`. */
function layOutEvents(
  { at, colour, counted }: EventEntry,
  events: readonly EventEntry[],
  paper: Paper,
): string {
  const paint = createPainter(paper.colour);
  const what = paint(toBold(colour), `${events.length} ${escapeUnprintable(counted[1])}`);
  const people = new Set(events.flatMap(({ employeeId }) => employeeId ?? [])).size;
  const whose = people === 0 ? '' : `, ${people} ${people === 1 ? 'person' : 'people'}`;
  return `${begin(at, ' ', paper)}${what}${whose}`;
}
