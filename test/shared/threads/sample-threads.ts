import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import type { Alert, ChannelMessage } from '#shared/alerts/alert.ts';
import { buildAlert } from '#shared/alerts/build-alert.ts';
import { describableEventSchema } from '#shared/core/definitions/sentences.ts';
import type { ShortEventType } from '#shared/core/event-types.ts';
import { type Names, NO_NAMES } from '#shared/names/names.ts';
import { composeFor } from '#shared/threads/compose-threads.ts';

export const CHANNEL = { name: 'payroll', channelId: 'C0123456789' };
const NAMES: Names = {
  ...NO_NAMES,
  employees: new Map([['2001_4711', 'Ana Lee']]),
  departments: new Map([['501_4711', 'Kitchen']]),
};
/** Tue 17 Nov 2026, 09:00 in Auckland. */
const MORNING = Date.parse('2026-11-16T20:00:00.000Z');

let ids = 0;

interface Sample {
  /** Minutes after nine. */
  readonly minute?: number;
  /** Merged into the data of the sample event. */
  readonly data?: object;
  readonly values?: Partial<Alert>;
}

/** The alert about the sample event of a type. */
export function tell(type: ShortEventType, { minute = 0, data = {}, values = {} }: Sample = {}): Alert {
  const event = JSON.parse(buildSampleEvent(type));
  ids += 1;
  const time = new Date(MORNING + minute * 60_000).toISOString();
  const changed = { ...event, id: `sample-${ids}`, time, data: { ...event.data, ...data } };
  const alert = buildAlert(describableEventSchema.parse(changed), {
    match: { channel: 'payroll', urgent: false, words: '{sentence}' },
    names: NAMES,
    timeZone: 'Pacific/Auckland',
    namesConnection: false,
  });
  return { ...alert, ...values };
}

/** The messages of a channel with a bot. */
export function compose(...alerts: readonly Alert[]): ChannelMessage[] {
  return composeFor(CHANNEL, alerts).flatMap(({ message }) => message ?? []);
}
