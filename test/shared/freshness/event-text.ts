import type { ShortEventType } from '#shared/core/event-types.ts';
import { toEventText } from '#shared/core/events/envelope.ts';

interface Data {
  readonly [member: string]: unknown;
  readonly observed?: { readonly after: string | null; readonly by: string };
}

const OBSERVED = { after: '2026-11-20T09:00:00.000Z', by: '2026-11-20T09:01:00.000Z' };

/** The JSON of an event with these members of `data`, at the time of its look. */
export function eventText(
  type: ShortEventType,
  { observed = OBSERVED, ...data }: Data,
  subject = 'r-1',
): string {
  const common = { changed: [], occurredAt: null, collapsed: false, late: [], current: null, previous: null };
  return toEventText({
    id: `${type} ${subject}`,
    source: '/connections/main/timesheets',
    type,
    subject,
    time: observed.by,
    connection: 'main',
    epoch: '2026-11-01T00:00:00.000Z',
    sequence: 1,
    data: { ...common, observed, ...data },
  });
}
