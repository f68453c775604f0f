import { describe, expect, test } from 'vitest';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://acme.workforce.example',
  timeZone: 'Pacific/Auckland',
  secretName: 'notifier/main',
};
const SLACK = { kind: 'slack', name: 'payroll', secretName: 'notifier/slack' };
const EMAIL = { kind: 'email', name: 'office', addresses: ['payroll@acme.example'] };

describe('lists of managers', () => {
  const BOT = { ...SLACK, channelId: 'C0123456789', names: ['managers'] };

  test('go to people in Slack, and to mailboxes', () => {
    expect(() => parse({ ...BOT, managers: { '2001_1': 'U0123456789' } })).not.toThrow();
    const mailbox = { ...EMAIL, names: ['managers'], managers: { '2001_1': 'ana@acme.example' } };
    expect(() => parse(mailbox)).not.toThrow();
  });

  test.each([
    [
      { ...BOT, managers: { '2001_1': '@ana' } },
      'alerts.channels[0].managers.2001_1: the id of a person or channel in Slack is such as U0123456789; Slack shows it in the details of the profile, got "***@ana"',
    ],
    [
      { ...EMAIL, names: ['managers'], managers: { '2001_1': 'ana' } },
      'alerts.channels[0].managers.2001_1: an address such as payroll@acme.example, got "ana"',
    ],
    [
      { ...BOT, names: ['employees'], managers: { '2001_1': 'U0123456789' } },
      "alerts.channels[0].managers: it is not known who manages which department; add 'managers' to names",
    ],
    [
      { ...SLACK, names: ['managers'], managers: { '2001_1': 'U0123456789' } },
      'alerts.channels[0].managers: an incoming webhook posts to one channel only; add channelId, for a bot, or leave this out',
    ],
  ])('are refused where nobody could get them', (channel, fault) => {
    expect(() => parse(channel)).toThrow(fault);
  });
});

function parse(channel: object): void {
  parseNotifierConfig({ connections: [CONNECTION], alerts: { channels: [channel] } });
}
