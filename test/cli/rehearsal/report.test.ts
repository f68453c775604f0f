import { expect, test } from 'vitest';
import { formatMessages } from '#cli/commands/rehearse.ts';
import { channelSchema } from '#shared/config/schema/channel.ts';
import { message, SEEN } from '#test/shared/alerts/sample-alerts.ts';

test.each([
  ['slack', ['57 approved', '• **One** -> two.']],
  ['teams', ['57 approved', '• **One** -> two.', '---']],
] as const)('a message of %s is rehearsed as its readers would see it', (kind, lines) => {
  const channel = channelSchema.parse({ kind, name: 'payroll', secretName: 'secret' });
  const digest = message({ title: '57 approved', lines: ['**One** -> two.'] });
  const rehearsal = {
    channel: 'payroll',
    messages: [{ at: SEEN, message: digest, onlyRule: null }],
    alerts: 57,
    held: 0,
    cancelled: 0,
    waiting: 0,
  };
  const comparison = { channels: [channel], edited: [rehearsal], deployed: [], from: 0, until: SEEN };
  expect(formatMessages({ ...comparison, stackName: 'stack' }, 10)).toEqual([
    `--- 2026-11-16 10:02  ${kind}/payroll`,
    ...lines,
    'Seen on Mon 16 Nov 2026 at 10:02 (Pacific/Auckland)',
    '',
  ]);
});
