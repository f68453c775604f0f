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
    if (events.length >= MIN_BURST) return [layOutEvents(events, paper)];
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

/** `5 timesheets approved, 08:24 to 08:28, 4 people`. */
function layOutEvents(events: readonly EventEntry[], paper: Paper): string {
  const inOrder = events.toSorted((one, other) => one.happened.instant - other.happened.instant);
  const [first, last] = [inOrder.at(0), inOrder.at(-1)];
  if (first === undefined) return '';
  const moments = new Set([first, last].map((event) => event?.happened.text));
  const people = new Set(events.flatMap(({ employeeId }) => employeeId ?? [])).size;
  const late = events.filter(({ isLate }) => isLate).length;
  const details = [
    [...moments].join(' to '),
    ...(people === 0 ? [] : [`${people} ${people === 1 ? 'person' : 'people'}`]),
    ...(late === 0 ? [] : [`${late} late`]),
  ];
  const { at, colour, counted } = events.at(0) ?? first;
  const what = createPainter(paper.colour)(
    toBold(colour),
    `${events.length} ${escapeUnprintable(counted[1])}`,
  );
  return `${begin(at, ' ', paper)}${what}, ${details.join(', ')}`;
}
