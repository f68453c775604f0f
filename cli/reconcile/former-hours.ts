import * as z from 'zod';
import { compareEpochs } from '#shared/core/events/event-order.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import type { EventLog } from '#shared/flow/replay-events.ts';
import type { FindHours } from './compare-holdings.ts';
import type { Holding } from './read-holdings.ts';

const eventSchema = z.looseObject({
  subject: z.string(),
  epoch: z.string().optional(),
  sequence: z.int().min(1),
  time: z.string(),
  data: z.looseObject({
    current: z.looseObject({ hoursToPay: z.number() }).nullable(),
    previous: z.looseObject({ hoursToPay: z.number().optional() }).nullable(),
  }),
});
type LoggedEvent = z.output<typeof eventSchema>;

/** The hours that timesheets had earlier, from the events since, as far as the log reaches back. */
export async function readFormerHours(
  connection: string,
  wanted: ReadonlyMap<string, Holding>,
  { log, range }: { readonly log: EventLog; readonly range: { readonly from: number; readonly to: number } },
): Promise<FindHours> {
  const events = new Map<string, LoggedEvent[]>();
  if (wanted.size > 0) {
    for await (const { texts } of log.read({ connection, feed: 'timesheets' }, range)) {
      for (const text of texts) {
        const event = eventSchema.safeParse(parseJsonOrNull(text));
        if (!(event.success && wanted.has(event.data.subject))) continue;
        const { subject } = event.data;
        events.set(subject, [...(events.get(subject) ?? []), event.data]);
      }
    }
  }
  return (holding) => findHoursAt(holding, events.get(holding.id) ?? []);
}

/**
 * From the event itself, else from the next one: what it changed, or what it left. Events of one look all show the record
 * after the last of them, so that any of those may say what it was before.
 */
function findHoursAt({ epoch, sequence }: Holding, events: readonly LoggedEvent[]): number | null {
  const bySequence = new Map(
    events.filter((event) => compareEpochs(event.epoch, epoch) === 0).map((event) => [event.sequence, event]),
  );
  const own = bySequence.get(sequence)?.data.current;
  if (own != null) return own.hoursToPay;
  const next = bySequence.get(sequence + 1);
  if (next === undefined) return null;
  for (let at = sequence + 1; bySequence.get(at)?.time === next.time; at += 1) {
    const before = bySequence.get(at)?.data.previous?.hoursToPay;
    if (before !== undefined) return before;
  }
  return next.data.current?.hoursToPay ?? null;
}
