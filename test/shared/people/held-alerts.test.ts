import { describe, expect, test } from 'vitest';
import type { ShortEventType } from '#shared/core/event-types.ts';
import { type Alert, alertSchema } from '#shared/people/alert.ts';
import { composeMessages } from '#shared/people/digest/digest.ts';
import { alertOf, describableExample } from '#test/support/example-alert.ts';

const MINUTE_MS = 60_000;

describe('a message that is sent at once', () => {
  test.each([
    ['pay_period.due', 'closes at 10:30 (in 2 h): 3 of 135'],
    ['timesheet.clock_in_missing', 'no clock-in, planned 09:00 (15 minutes ago)'],
    ['trouble.began', 'of Wed 11 Nov since 17:00'],
  ] as const)('about %s says "%s"', (type, words) => {
    expect(titleOf([sample(type)], 5)).toContain(words);
  });
});

describe('a message that quiet hours held says nothing that counts from when it was seen', () => {
  test.each([
    ['pay_period.due', 'closes on Tue 17 Nov at 10:30: 3 of 135'],
    ['pay_period.reopened', 'was reopened on Wed 18 Nov between 09:59 and 10:00;'],
    ['timesheet.clock_in_missing', 'on Fri 13 Nov: no clock-in, planned 09:00.'],
    ['timesheet.clock_out_missing', 'on Fri 13 Nov: no clock-out, planned 17:00.'],
    ['trouble.began', /of Wed 11 Nov since \w+ \d+ Nov 17:00/],
    ['trouble.ended', /again since \w+ \d+ Nov 17:51\. We could not since \w+ \d+ Nov 17:00/],
  ] as const)('but when it was: %s', (type, words) => {
    const alert = sample(type);
    expect(titleOf([alert], 6)).toMatch(words);
    expect(titleOf([alertSchema.parse(JSON.parse(JSON.stringify(alert)))], 600)).toMatch(words);
  });

  test('in its heading', () => {
    expect(headingOf([sample('pay_period.due')], 30)).toBe(
      'Approve 3 of 135 timesheets by Tue 17 Nov 10:30: Weekly 9-15 Nov',
    );
    expect(headingOf([sample('timesheet.clock_in_missing')], 30)).toBe(
      'Ana Lee has not clocked in; the shift began on Fri 13 Nov at 09:00',
    );
  });

  test('in the story of a timesheet', () => {
    const missing = sample('timesheet.clock_in_missing');
    const changed = { ...sample('timesheet.changed'), subject: missing.subject };
    expect(titleOf([{ ...changed, at: missing.at - 1 }, missing], 30)).toMatch(
      /^Ana Lee, Kitchen, Fri 13 Nov: .*, no clock-in, planned 09:00/,
    );
  });

  test('nor on another day', () => {
    // Seen at 23:59, sent a minute later.
    const late = { ...sample('trouble.began'), at: Date.parse('2026-11-12T23:59:30+13:00') };
    expect(titleOf([late], 1)).toMatch(/since \w+ \d+ Nov 17:00/);
  });
});

function titleOf(alerts: readonly Alert[], minutes: number): string {
  return messageOf(alerts, minutes).title;
}

function headingOf(alerts: readonly Alert[], minutes: number): string | undefined {
  return messageOf(alerts, minutes).heading;
}

/** The message of alerts that are sent so many minutes after the last of them was seen. */
function messageOf(alerts: readonly Alert[], minutes: number) {
  const seenAt = Math.max(...alerts.map(({ at }) => at));
  const message = composeMessages(alerts, seenAt + minutes * MINUTE_MS)[0]?.message;
  if (message == null) throw new Error('there is no message');
  return message;
}

function sample(type: ShortEventType): Alert {
  return alertOf(describableExample(type));
}
