import { describe, expect, test } from 'vitest';
import { eventSchema } from '#shared/core/definitions/event-schemas.ts';
import {
  buildDeliveryFailedEvent,
  buildWebhookDisabledEvent,
  isAboutWebhook,
} from '#shared/webhooks/delivery-events.ts';

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
  firstAt: Date.parse('2026-03-01T18:00:00Z'),
  now: Date.parse('2026-03-04T22:00:00Z'),
};

const DISABLED = {
  url: 'https://payroll.acme.example/hook',
  at: Date.parse('2026-03-04T22:00:00Z'),
  reason: '410',
  connection: 'main',
  told: false,
};

describe('an event that could not be delivered', () => {
  test('is published, as the catalogue says', () => {
    const event = JSON.parse(buildDeliveryFailedEvent(TROUBLE));

    expect(eventSchema('delivery.failed').parse(event)).toEqual(event);
    expect(event).toEqual({
      specversion: '1.0',
      id: 'a39257e0834ca3273c2e4f1050c97e3e',
      source: '/webhooks/payroll',
      type: 'workforce.delivery.failed',
      subject: 'a1',
      time: '2026-03-04T22:00:00.000Z',
      datacontenttype: 'application/json',
      dataschema: 'urn:workforce-change-notifier:schema:delivery.failed:1',
      connection: 'main',
      sequence: 1,
      partitionkey: '/webhooks/payroll/a1',
      traceparent: '00-a39257e0834ca3273c2e4f1050c97e3e-3c2e4f1050c97e3e-01',
      data: {
        webhook: 'payroll',
        eventId: 'a1',
        eventType: 'workforce.timesheet.approved',
        attempts: 10,
        reason: '503',
      },
    });
  });

  test('has the same id whenever it is published, and another one for another webhook, event or failure', () => {
    const id = (text: string) => JSON.parse(text).id;
    const { event } = TROUBLE;

    expect(id(buildDeliveryFailedEvent({ ...TROUBLE, now: 0, attempts: 3, reason: 'timeout' }))).toBe(
      id(buildDeliveryFailedEvent(TROUBLE)),
    );
    const ids = [
      buildDeliveryFailedEvent(TROUBLE),
      buildDeliveryFailedEvent({ ...TROUBLE, webhook: 'other' }),
      buildDeliveryFailedEvent({ ...TROUBLE, event: { ...event, id: 'a2' } }),
      // Given up, sent to the queue again, given up once more.
      buildDeliveryFailedEvent({ ...TROUBLE, firstAt: TROUBLE.now + 1 }),
      buildWebhookDisabledEvent('payroll', DISABLED),
    ].map(id);
    expect(new Set(ids).size).toBe(5);
  });
});

test('an endpoint that wants no more is published, as the catalogue says', () => {
  const event = JSON.parse(buildWebhookDisabledEvent('payroll', DISABLED));

  expect(eventSchema('webhook.disabled').parse(event)).toEqual(event);
  expect(event).toMatchObject({
    source: '/webhooks/payroll',
    type: 'workforce.webhook.disabled',
    subject: 'payroll',
    time: '2026-03-04T22:00:00.000Z',
    data: { webhook: 'payroll', reason: '410' },
  });
});

test('of what was noted it is always the same, byte for byte, and another one when it happens again', () => {
  const text = buildWebhookDisabledEvent('payroll', DISABLED);

  expect(buildWebhookDisabledEvent('payroll', { ...DISABLED, told: true })).toBe(text);
  const again = buildWebhookDisabledEvent('payroll', { ...DISABLED, at: DISABLED.at + 3_600_000 });
  expect(JSON.parse(again).id).not.toBe(JSON.parse(text).id);
});

test('what is about a webhook is known as such', () => {
  expect(isAboutWebhook(TROUBLE.event)).toBe(false);
  expect(isAboutWebhook(JSON.parse(buildDeliveryFailedEvent(TROUBLE)))).toBe(true);
  expect(isAboutWebhook(JSON.parse(buildWebhookDisabledEvent('payroll', DISABLED)))).toBe(true);
});
