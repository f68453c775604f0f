import { expect, test } from 'vitest';
import { eventSchema } from '#shared/core/definitions/event-schemas.ts';
import {
  buildDeliveryFailedEvent,
  buildDeliveryRecoveredEvent,
  buildWebhookDisabledEvent,
  isAboutWebhook,
} from '#shared/systems/delivery-events.ts';
import { EVENT } from './sample-event.ts';

const FAILED = {
  webhook: 'payroll',
  event: EVENT,
  failedAt: Date.parse('2026-03-04T22:00:00Z'),
};
const WHY = { reason: '503', firstAt: Date.parse('2026-03-01T18:00:00Z') };

const DISABLED = {
  url: 'https://payroll.acme.example/hook',
  at: Date.parse('2026-03-04T22:00:00Z'),
  reason: '410',
  connection: 'main',
  told: false,
};

const began = (reason = '503') => buildDeliveryFailedEvent(FAILED, { ...WHY, reason });
const ended = () => buildDeliveryRecoveredEvent(FAILED, FAILED.failedAt + 5_000);
const disabled = () => buildWebhookDisabledEvent('payroll', DISABLED);

test.each<[string, string, object]>([
  [
    'that an event could not be delivered',
    began(),
    {
      ...{ subject: 'a1', time: '2026-03-04T22:00:00.000Z', source: '/webhooks/payroll', sequence: 1 },
      type: 'workforce.trouble.began',
      data: { feed: null, kind: 'delivery_failed', about: ['payroll', 'a1'], count: 1, cause: '503' },
    },
  ],
  [
    'that it was delivered after all',
    ended(),
    {
      ...{ subject: 'a1', time: '2026-03-04T22:00:05.000Z', type: 'workforce.trouble.ended' },
      data: { kind: 'delivery_failed', about: ['payroll', 'a1'], since: '2026-03-04T22:00:00.000Z' },
    },
  ],
  [
    'that an endpoint wants no more',
    disabled(),
    {
      ...{ subject: 'payroll', time: '2026-03-04T22:00:00.000Z', source: '/webhooks/payroll' },
      type: 'workforce.trouble.began',
      data: { feed: null, kind: 'webhook_disabled', about: ['payroll'], count: 1, cause: '410' },
    },
  ],
])('%s is told as the catalogue says', (_, text, told) => {
  const event = JSON.parse(text);
  const schema = eventSchema(text.includes('trouble.began') ? 'trouble.began' : 'trouble.ended');
  expect(schema.parse(event)).toEqual(event);
  expect(event).toMatchObject(told);
});

test('what is told has the same id whenever it is, and another one for another webhook, event or failure', () => {
  const id = (text: string) => JSON.parse(text).id;
  expect(id(began('timeout'))).toBe(id(began()));
  expect(buildWebhookDisabledEvent('payroll', { ...DISABLED, told: true })).toBe(disabled());
  const ids = [
    ...[began(), ended(), disabled()],
    buildDeliveryFailedEvent({ ...FAILED, webhook: 'other' }, WHY),
    buildDeliveryFailedEvent({ ...FAILED, event: { ...EVENT, id: 'a2' } }, WHY),
    buildDeliveryFailedEvent(FAILED, { ...WHY, firstAt: WHY.firstAt + 1 }),
    buildWebhookDisabledEvent('payroll', { ...DISABLED, at: DISABLED.at + 3_600_000 }),
  ].map(id);
  expect(new Set(ids).size).toBe(7);
});

test('what is about a webhook is known as such', () => {
  expect([FAILED.event, JSON.parse(began()), JSON.parse(disabled())].map(isAboutWebhook)).toEqual([
    ...[false, true, true],
  ]);
});
