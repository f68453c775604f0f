import { describe, expect, test } from 'vitest';
import { eventSchema } from '#shared/core/event-schemas.ts';
import {
  deliveryFailedText,
  isAboutWebhook,
  webhookDisabledText,
} from '#shared/core/webhooks/delivery-events.ts';

const TROUBLE = {
  webhook: 'payroll',
  event: {
    id: 'a1',
    source: '/connections/main/timesheets',
    type: 'workforce.timesheet.approved',
    subject: '910001_1',
    connection: 'main',
    sequence: 3,
    data: {},
  },
  attempts: 10,
  reason: '503',
  now: Date.parse('2026-03-04T22:00:00Z'),
};

describe('an event that could not be delivered', () => {
  test('is told of, as the catalogue says', () => {
    const event = JSON.parse(deliveryFailedText(TROUBLE));

    expect(eventSchema('delivery.failed').parse(event)).toEqual(event);
    expect(event).toEqual({
      specversion: '1.0',
      id: '641e046e841f2834f72a2d873f7d0444',
      source: '/webhooks/payroll',
      type: 'workforce.delivery.failed',
      subject: 'a1',
      time: '2026-03-04T22:00:00.000Z',
      datacontenttype: 'application/json',
      dataschema: 'urn:workforce-change-notifier:schema:delivery.failed:1',
      connection: 'main',
      sequence: 1,
      data: {
        webhook: 'payroll',
        eventId: 'a1',
        eventType: 'workforce.timesheet.approved',
        attempts: 10,
        reason: '503',
      },
    });
  });

  test('has the same id whenever it is told, and another one for another webhook, event or trouble', () => {
    const id = (text: string) => JSON.parse(text).id;
    const { event } = TROUBLE;

    expect(id(deliveryFailedText({ ...TROUBLE, now: 0, attempts: 3, reason: 'timeout' }))).toBe(
      id(deliveryFailedText(TROUBLE)),
    );
    const ids = [
      deliveryFailedText(TROUBLE),
      deliveryFailedText({ ...TROUBLE, webhook: 'other' }),
      deliveryFailedText({ ...TROUBLE, event: { ...event, id: 'a2' } }),
      webhookDisabledText(TROUBLE),
    ].map(id);
    expect(new Set(ids).size).toBe(4);
  });
});

test('an endpoint that wants no more is told of, as the catalogue says', () => {
  const event = JSON.parse(webhookDisabledText({ ...TROUBLE, reason: '410' }));

  expect(eventSchema('webhook.disabled').parse(event)).toEqual(event);
  expect(event).toMatchObject({
    source: '/webhooks/payroll',
    type: 'workforce.webhook.disabled',
    subject: 'payroll',
    data: { webhook: 'payroll', reason: '410' },
  });
});

test('what is about a webhook is known as such', () => {
  expect(isAboutWebhook(TROUBLE.event)).toBe(false);
  expect(isAboutWebhook(JSON.parse(deliveryFailedText(TROUBLE)))).toBe(true);
  expect(isAboutWebhook(JSON.parse(webhookDisabledText(TROUBLE)))).toBe(true);
});
