import type { Message } from '#shared/people/message.ts';

/** A message of one line, unless the values say otherwise. */
export function message(values: Partial<Message> = {}): Message {
  return {
    id: 'f'.repeat(32),
    heading: 'Pay period Weekly 9-15 Nov was reopened',
    lines: [{ spans: ['Nothing to do.'] }],
    more: 0,
    urgent: false,
    at: Date.parse('2026-11-15T21:02:00.000Z'),
    timeZone: 'Pacific/Auckland',
    ...values,
  };
}
