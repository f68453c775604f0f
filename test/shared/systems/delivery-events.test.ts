import { describe, expect, test } from 'vitest';
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

describe('an event that could not be delivered', () => {
  test('is told, as the catalogue says, and when it is delivered after all', () => {
    const began = JSON.parse(buildDeliveryFailedEvent(FAILED, WHY));
    expect(eventSchema('trouble.began').parse(began)).toEqual(began);
    const data = {
      ...{ feed: null, kind: 'delivery_failed', about: ['payroll', 'a1'] },
      since: '2026-03-04T22:00:00.000Z',
    };
    expect(began).toMatchObject({
      source: '/webhooks/payroll',
      type: 'workforce.trouble.began',
      subject: 'a1',
      time: '2026-03-04T22:00:00.000Z',
      sequence: 1,
      data: { ...data, count: 1, cause: '503' },
    });
    const ended = JSON.parse(buildDeliveryRecoveredEvent(FAILED, FAILED.failedAt + 5_000));
    expect(eventSchema('trouble.ended').parse(ended)).toEqual(ended);
    expect(ended).toMatchObject({ subject: 'a1', time: '2026-03-04T22:00:05.000Z', data });
  });

  test('has the same id whenever it is published, and another one for another webhook, event or failure', () => {
    const id = (text: string) => JSON.parse(text).id;
    expect(id(buildDeliveryFailedEvent({ ...FAILED, failedAt: 0 }, { ...WHY, reason: 'timeout' }))).toBe(
      id(buildDeliveryFailedEvent(FAILED, WHY)),
    );
    const ids = [
      buildDeliveryFailedEvent(FAILED, WHY),
      buildDeliveryFailedEvent({ ...FAILED, webhook: 'other' }, WHY),
      buildDeliveryFailedEvent({ ...FAILED, event: { ...EVENT, id: 'a2' } }, WHY),
      buildDeliveryFailedEvent(FAILED, { ...WHY, firstAt: WHY.firstAt + 1 }),
      buildDeliveryRecoveredEvent(FAILED, FAILED.failedAt),
      buildWebhookDisabledEvent('payroll', DISABLED),
    ].map(id);
    expect(new Set(ids).size).toBe(6);
  });
});

test('an endpoint that wants no more is published, as the catalogue says', () => {
  const event = JSON.parse(buildWebhookDisabledEvent('payroll', DISABLED));

  expect(eventSchema('trouble.began').parse(event)).toEqual(event);
  expect(event).toMatchObject({
    source: '/webhooks/payroll',
    type: 'workforce.trouble.began',
    subject: 'payroll',
    time: '2026-03-04T22:00:00.000Z',
    data: { feed: null, kind: 'webhook_disabled', about: ['payroll'], count: 1, cause: '410' },
  });
});

test('of what was noted it is always the same, byte for byte, and another one when it happens again', () => {
  const text = buildWebhookDisabledEvent('payroll', DISABLED);

  expect(buildWebhookDisabledEvent('payroll', { ...DISABLED, told: true })).toBe(text);
  const again = buildWebhookDisabledEvent('payroll', { ...DISABLED, at: DISABLED.at + 3_600_000 });
  expect(JSON.parse(again).id).not.toBe(JSON.parse(text).id);
});

test('what is about a webhook is known as such', () => {
  expect(isAboutWebhook(FAILED.event)).toBe(false);
  expect(isAboutWebhook(JSON.parse(buildDeliveryFailedEvent(FAILED, WHY)))).toBe(true);
  expect(isAboutWebhook(JSON.parse(buildWebhookDisabledEvent('payroll', DISABLED)))).toBe(true);
});
