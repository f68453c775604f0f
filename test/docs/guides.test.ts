import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { timesheetStateSchema } from '#shared/core/records/timesheet.ts';
import { planNextAttempt } from '#shared/systems/attempt-schedule.ts';
import { exampleEvent, exampleEvents } from '#test/support/example-event.ts';
import { payrollNews } from '../../examples/read-events/payroll-news.ts';
import { senderConfig as queueConfig } from '../../examples/sqs-lambda/sender-config.ts';
import { senderConfig as webhookConfig } from '../../examples/webhook-receiver/sender-config.ts';

describe('the guides', () => {
  it('show valid configs', () => {
    for (const config of [queueConfig, webhookConfig]) {
      expect(() => parseNotifierConfig(config)).not.toThrow();
    }
  });

  it('show an event as it is published, shortened', () => {
    const [, shown = ''] = /```json\n([^`]+)```/.exec(readFileSync('docs/subscribing.md', 'utf8')) ?? [];
    expect(exampleEvent('workforce.timesheet.approved')).toMatchObject(JSON.parse(shown));
  });

  it('show a pattern of EventBridge that takes what it says', () => {
    const guide = readFileSync('docs/in-your-company.md', 'utf8');
    const [, shown = ''] = /(\{\n {2}"source": \[\{ "prefix"[\s\S]*?\n\})\n/.exec(guide) ?? [];
    const pattern = JSON.parse(shown);
    const approved = exampleEvent('workforce.timesheet.approved');
    expect(pattern['detail-type']).toContain(approved.type);
    expect(approved.source.startsWith(pattern.source[0].prefix)).toBe(true);
    const [now, before] = pattern.detail.data.$or;
    expect(now.departmentId).toEqual([approved.data.departmentId]);
    expect(timesheetStateSchema.shape).toHaveProperty(Object.keys(before.previous));
  });

  it('state the actual waits between attempts', () => {
    const stated = /Waits between attempts: (?<waits>[^;]+);/.exec(readFileSync('docs/webhooks.md', 'utf8'));
    const waits = stated?.groups?.waits?.replace('then twelve times 24 h', Array(12).fill('24 h').join(', '));
    expect(waits?.split(', ').map(toMilliseconds)).toEqual(computeWaits());
  });

  it('show code that handles each type of event and ignores others', () => {
    const news = exampleEvents()
      .map((event) => JSON.stringify(event))
      .map(payrollNews)
      .filter((text) => text !== null);
    expect(news).toEqual([
      'pay 8 h for timesheet 101550_1',
      'pay 7.5 h for timesheet 101550_1',
      'do not pay timesheet 101550_1',
      'do not pay timesheet 101550_1',
      'period closed, 3 not approved',
    ]);
    expect(
      payrollNews(
        JSON.stringify(exampleEvent('workforce.timesheet.approved')).replaceAll('approved', 'praised'),
      ),
    ).toBeNull();
    expect(payrollNews('no event')).toBeNull();
  });
});

function computeWaits(): number[] {
  const waits: number[] = [];
  for (let attempts = 1; ; attempts += 1) {
    const next = planNextAttempt({
      attempts,
      now: 0,
      retryAfterMs: null,
      random: 0,
    });
    if (next.outcome === 'give_up') return waits;
    waits.push(next.at);
  }
}

function toMilliseconds(wait: string): number {
  const [count, unit = ''] = wait.split(' ');
  return Number(count) * ({ s: 1_000, min: 60_000, h: 3_600_000 }[unit] ?? Number.NaN);
}
