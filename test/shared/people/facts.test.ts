import { describe, expect, test } from 'vitest';
import type { ShortEventType } from '#shared/core/event-types.ts';
import { composeMessages } from '#shared/people/digest/digest.ts';
import { buildMail } from '#shared/people/layout/mail.ts';
import { buildSlackPayload } from '#shared/people/layout/slack-blocks.ts';
import { buildTeamsPayload } from '#shared/people/layout/teams-card.ts';
import { alertOf, describableExample, EXAMPLE_NAMES } from '#test/support/example-alert.ts';

const ANA = 'Ana Lee';
describe('a message says what to do, and then what happened', () => {
  test.each([
    [
      'timesheet.processing_reverted',
      'Hold back 8 h of Ana Lee, Kitchen, Thu 12 Nov: its processing was undone',
      /^No longer processed \(8 h to pay\): the processing of .* after its pay period closed\.$/,
    ],
    ['pay_period.reopened', 'Hold the pay file of Weekly 9-15 Nov: it was reopened', /^Reopened /],
    [
      'pay_period.due',
      'Approve 3 of 135 timesheets by 10:30 (in 2 h): Weekly 9-15 Nov',
      /^23.5 h of 3 people\.$/,
    ],
    [
      'pay_period.settled',
      'Pay 1,012 h for Weekly 9-15 Nov (30 people), +25 h since it closed',
      /^Settled\. Pay 1,012 h in all \(135 timesheets of 30 people\); adds up with /,
    ],
    [
      'timesheet.clock_in_missing',
      'Ana Lee has not clocked in; the shift began at 09:00',
      /^Kitchen, Fri 13 Nov: planned 09:00 \(15 minutes ago\)\.$/,
    ],
  ] as const)('%s', (type, heading, facts) => {
    const message = tell(type);
    expect(message.heading).toBe(heading);
    expect(message.facts).toMatch(facts);
  });

  test('and names nobody twice, in any channel', () => {
    const message = tell('timesheet.processing_reverted');
    const mail = buildMail(message, { channel: 'office', stackName: 'stack' });
    const shown = [
      `${mail.subject}\n${mail.body}`,
      JSON.stringify(buildSlackPayload(message).blocks),
      JSON.stringify(buildTeamsPayload(message).attachments),
    ];
    expect(shown.map((text) => text.split(ANA).length - 1)).toEqual([1, 1, 1]);
    expect(buildSlackPayload(message).text).toContain(ANA);
  });

  test('but with the name of its connection, or without room for its own, the whole sentence', () => {
    expect(tell('timesheet.processing_reverted', { namesConnection: true }).facts).toBeUndefined();
    const employees = new Map([['1030_1', 'A'.repeat(80)]]);
    const unnamed = tell('timesheet.changed', { names: { ...EXAMPLE_NAMES, employees } });
    expect(unnamed.facts).toBeUndefined();
    expect(buildMail(unnamed, { channel: 'office', stackName: 'stack' }).body).toContain('A'.repeat(70));
  });

  test('and later nothing that counts from when it was seen', () => {
    const message = tell('timesheet.clock_in_missing', {}, 3_600_000);
    expect(message.facts).toBe('Kitchen, Fri 13 Nov: planned 09:00.');
    expect(message.heading).toBe('Ana Lee has not clocked in; the shift began on Fri 13 Nov at 09:00');
  });
});

function tell(type: ShortEventType, { namesConnection = false, names = EXAMPLE_NAMES } = {}, laterMs = 0) {
  const match = { channel: 'office', urgent: false };
  const alert = alertOf(describableExample(type), { match, names, namesConnection });
  const message = composeMessages([alert], alert.at + laterMs)[0]?.message;
  if (message == null) throw new Error('nothing was told');
  return message;
}
