import { expect, test } from 'vitest';
import { formatDeliveries, formatDeliveryJson } from '#cli/commands/deliveries.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import type { FoundDelivery } from '#shared/operator/deliveries/find-deliveries.ts';

const NOON = Date.parse('2026-11-22T12:00:00Z');

test('a delivery of which the last answer alone is known has that', () => {
  const delivery = found({ outcome: 'failed', attempts: 10, detail: '503' });
  expect(formatDeliveries([delivery], true)).toEqual([
    '2026-11-22 11:59:59  timesheet.approved  r-1  e-1  failed  10 attempts: 503; last 2026-11-22 12:00:00',
  ]);
});

test('in JSON, what an event waits for and where it was are no answers', () => {
  const answersOf = (delivery: Partial<Delivery>) => JSON.parse(formatDeliveryJson(found(delivery))).answers;
  expect(
    answersOf({ outcome: 'waiting', attempts: 0, detail: 'in message 1, not known to be taken' }),
  ).toEqual([]);
  expect(answersOf({ outcome: 'delivered', detail: 'in message 1' })).toEqual([]);
  expect(answersOf({ outcome: 'failed', detail: '503' })).toEqual(['503']);
  expect(answersOf({ outcome: 'delivered', answers: ['503'] })).toEqual(['503']);
});

test('ids and answers cannot command a terminal', () => {
  const hostile = '\u001b[2J';
  const delivery = found({ outcome: 'failed', attempts: 1, answers: [hostile] });
  const [line = ''] = formatDeliveries([{ ...delivery, record: hostile, eventId: hostile }], true);
  expect(line).not.toMatch(/\p{C}/u);
  expect(line.split('\\u001b[2J')).toHaveLength(4);
});

function found(delivery: Partial<Delivery>): FoundDelivery {
  const known = { eventId: 'e-1', destination: 'webhook/payroll', at: NOON, attempts: 1, detail: null };
  return {
    receiver: {
      kind: 'webhook',
      name: 'payroll',
      label: 'payroll',
      destination: 'webhook/payroll',
      interest: null,
    },
    connection: 'main',
    timeZone: 'UTC',
    eventId: 'e-1',
    type: 'workforce.timesheet.approved',
    record: 'r-1',
    committedAt: '2026-11-22T11:59:59.000Z',
    delivery: { ...known, outcome: 'waiting', ...delivery },
    text: '',
  };
}
