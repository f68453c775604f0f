import { expect, test } from 'vitest';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';

/** Files of pay periods in a Slack channel, as the config has them. */

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://workforce.example.com',
  timeZone: 'Pacific/Auckland',
  secretName: 'main',
};
const SLACK = { name: 'payroll', kind: 'slack', secretName: 'slack/payroll' } as const;
const BOT = { ...SLACK, channelId: 'C0123456789' } as const;
const OTHER_RULE = [{ types: ['workforce.timesheet.changed' as const] }];

test('need a bot and a rule that tells of closings or statements, as the default rules do', () => {
  const { alerts } = parseNotifierConfig({
    connections: [CONNECTION],
    alerts: { channels: [{ ...BOT, files: true }] },
  });
  expect(alerts.channels).toMatchObject([{ files: true }]);
  const bare = parseNotifierConfig({ connections: [CONNECTION], alerts: { channels: [BOT] } });
  expect(bare.alerts.channels).toMatchObject([{ files: false }]);
});

test.each([
  [
    { channels: [{ ...SLACK, files: true }] },
    'alerts.channels[0].files: an incoming webhook takes no files; add channelId, for a bot, or leave this out, got true',
  ],
  [
    { channels: [{ ...BOT, files: true }], rules: OTHER_RULE },
    'alerts.channels[0].files: no rule tells this channel what a pay period came to; add one with workforce.pay_period.closed or workforce.pay_period.statement, or leave this out, got true',
  ],
  [
    {
      channels: [
        { ...BOT, files: true, for: 'operations' as const },
        { ...SLACK, name: 'pay' },
      ],
    },
    'alerts.channels[0].files: no rule tells this channel what a pay period came to; add one with workforce.pay_period.closed or workforce.pay_period.statement, or leave this out, got true',
  ],
])('that nobody would get are refused with path, value and mend: %j', (alerts, expected) => {
  expect(() => parseNotifierConfig({ connections: [CONNECTION], alerts })).toThrow(expected);
});

test.each([['teams'], ['email']])('are for Slack alone, not for %s', (kind) => {
  const own = kind === 'email' ? { addresses: ['office@acme.example'] } : { secretName: 's' };
  const channels = [{ name: 'office', kind, ...own, files: true }];
  expect(() => parseNotifierConfig({ connections: [CONNECTION], alerts: { channels } } as never)).toThrow(
    'alerts.channels[0]',
  );
});
