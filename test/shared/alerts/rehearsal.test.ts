import { describe, expect, test } from 'vitest';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import { type RehearsedPast, rehearseAlerts } from '#shared/alerts/rehearsal.ts';
import { type Alerts, alertsSchema } from '#shared/config/schema/alerting.ts';
import { type DescribableEvent, describableEventSchema } from '#shared/core/definitions/sentences.ts';
import { NO_NAMES } from '#shared/names/names.ts';
import type { Finish } from '#shared/processing/finished-alert.ts';

const HOUR_MS = 3_600_000;
const NOON = Date.parse('2026-03-05T12:00:00Z');
const CONNECTIONS = [{ name: 'main', timeZone: 'UTC' }];
const APPROVED = 'workforce.timesheet.approved';
const CLOSED = 'workforce.pay_period.closed';

describe('a rehearsal', () => {
  test('collects, words and sends at the times of the events', () => {
    const [payroll] = rehearse(rules({ types: [APPROVED] }), [approval(1, 0), approval(2, 5_000)]);
    expect(payroll).toMatchObject({ channel: 'payroll', alerts: 2, held: 0, cancelled: 0, waiting: 0 });
    expect(payroll?.messages).toHaveLength(1);
    expect(payroll?.messages[0]).toMatchObject({ at: NOON + 60_000, onlyRule: 0 });
    expect(payroll?.messages[0]?.message.title).toBe('2 timesheets approved in 1 department');
  });

  test('sends as many messages as there are digests', () => {
    const [payroll] = rehearse(rules({ types: [APPROVED] }), [approval(1, 0), approval(2, HOUR_MS)]);
    expect(payroll?.messages.map(({ at }) => at)).toEqual([NOON + 60_000, NOON + HOUR_MS + 60_000]);
  });

  test('holds alerts in quiet hours, and counts them', () => {
    const quiet = rules({ types: [APPROVED] }, { quietHours: { from: '11:00', to: '14:00' } });
    const [payroll] = rehearse(quiet, [approval(1, 0), approval(2, HOUR_MS), approval(3, 3 * HOUR_MS)]);
    expect(payroll).toMatchObject({ held: 2 });
    expect(payroll?.messages.map(({ at }) => at)).toEqual([NOON + 2 * HOUR_MS, NOON + 3 * HOUR_MS + 60_000]);
  });

  test('counts approvals that were revoked before they were sent', () => {
    const both = rules({ types: [APPROVED, 'workforce.timesheet.approval_revoked'] });
    const [payroll] = rehearse(both, [approval(1, 0), revocation(1, 1_000)]);
    expect(payroll).toMatchObject({ messages: [], alerts: 2, cancelled: 2 });
  });

  test('says what still waits at its end', () => {
    const [payroll] = rehearse(rules({ types: [APPROVED] }), [approval(1, 0)], { until: NOON + 30_000 });
    expect(payroll).toMatchObject({ messages: [], waiting: 1 });
  });

  test('names the one rule that led to a message, and none when there are several', () => {
    const two = alertsSchema.parse({
      channels: [CHANNEL],
      rules: [{ types: [CLOSED] }, { types: [APPROVED] }, { types: [APPROVED], when: { connection: ['x'] } }],
    });
    const [alone] = rehearse(two, [approval(1, 0)]);
    expect(alone?.messages.map(({ onlyRule }) => onlyRule)).toEqual([1]);
    const doubled = { ...two, rules: two.rules.map((rule) => ({ ...rule, when: {}, types: [APPROVED] })) };
    const [several] = rehearse(doubled as Alerts, [approval(1, 0)]);
    expect(several?.messages.map(({ onlyRule }) => onlyRule)).toEqual([null]);
  });

  test('shows only the names that the channel may read', () => {
    const employees = new Map([['2001_4711', 'Ana Lee']]);
    const names = new Map([['main', { ...NO_NAMES, employees }]]);
    const titles = [[], ['employees'] as const].map((shown) => {
      const [payroll] = rehearse(rules({ types: [APPROVED] }, { names: shown }), [approval(1, 0)], { names });
      return payroll?.messages[0]?.message.title.includes('Ana Lee');
    });
    expect(titles).toEqual([false, true]);
  });
});

describe('a period whose processing finished', () => {
  const both = rules({ types: [CLOSED, 'workforce.processing.finished'] });
  const period = {
    id: '9_1',
    calendar: 'Weekly',
    startDate: '2026-02-23',
    finishDate: '2026-03-01',
    closed: true,
  };
  const finish: Finish = {
    connection: 'main',
    period,
    sharesDates: false,
    timesheets: 380,
    times: 1,
    at: NOON,
    closing: null,
  };

  test('is rehearsed', () => {
    const [payroll] = rehearse(both, [], { finishes: [finish] });
    expect(payroll?.messages.map(({ message }) => message.title)).toEqual([
      'Pay period Weekly 23 Feb - 1 Mar: all 380 timesheets are processed.',
    ]);
  });

  test('is left out where the closing says it', () => {
    const closing = sample('pay_period.closed', 1, 0);
    const [payroll] = rehearse(both, [closing], { finishes: [{ ...finish, closing }] });
    expect(payroll?.alerts).toBe(1);
  });
});

const CHANNEL = { name: 'payroll', kind: 'email', addresses: ['payroll@acme.example'] };

function rules(rule: object, channel: object = {}): Alerts {
  return alertsSchema.parse({ channels: [{ ...CHANNEL, ...channel }], rules: [rule] });
}

function rehearse(alerts: Alerts, events: readonly DescribableEvent[], values: Partial<RehearsedPast> = {}) {
  const past = { events, finishes: [], until: NOON + 24 * HOUR_MS, names: new Map(), ...values };
  return rehearseAlerts({ ...alerts, connections: CONNECTIONS }, past);
}

function approval(number: number, afterMs: number): DescribableEvent {
  return sample('timesheet.approved', number, afterMs);
}

function revocation(number: number, afterMs: number): DescribableEvent {
  const event = sample('timesheet.approval_revoked', number, afterMs);
  return describableEventSchema.parse({
    ...event,
    id: `revoked-${number}`,
    data: { ...event.data, reverses: `event-${number}`, late: ['approval'] },
  });
}

function sample(type: Parameters<typeof buildSampleEvent>[0], number: number, afterMs: number) {
  const event = JSON.parse(buildSampleEvent(type));
  return describableEventSchema.parse({
    ...event,
    id: `event-${number}`,
    subject: `${number}_7`,
    connection: 'main',
    time: new Date(NOON + afterMs).toISOString(),
  });
}
