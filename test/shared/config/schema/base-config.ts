import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';

export const CONNECTION = {
  name: 'main',
  baseUrl: 'https://acme.workforce.example',
  timeZone: 'Pacific/Auckland',
  secretName: 'notifier/main',
};
export const SLACK = { kind: 'slack', name: 'payroll', secretName: 'notifier/slack' };
export const WEBHOOK = {
  name: 'hook',
  url: 'https://payroll.acme.example/hooks/workforce',
  secretName: 'notifier/webhooks/payroll',
  topics: ['timesheets'],
};

/** A config with one or two of everything. */
export const BASE = {
  connections: [
    {
      ...CONNECTION,
      heartbeat: { secretName: 'hc/main' },
      calendars: [{ name: 'Weekly', closesAt: 'Fri 10:00' }],
    },
    { ...CONNECTION, name: 'north' },
  ],
  queues: [{ name: 'payroll', topics: ['timesheets'] }],
  webhooks: [WEBHOOK, { ...WEBHOOK, name: 'other' }],
  people: {
    channels: [
      SLACK,
      { kind: 'email', name: 'office', addresses: ['payroll@Acme.example'] },
      { kind: 'teams', name: 'board', secretName: 'notifier/teams' },
      { ...SLACK, name: 'night', departments: [501, '502'], quietHours: { from: '20:00', to: '07:00' } },
    ],
  },
};

/** Lines of the error that a config is answered with, without the name of its file. */
export function faultsOf(config: object, left = 'notifier.config.ts: '): string[] {
  try {
    parseNotifierConfig(config);
  } catch (error) {
    return String((error as Error).message)
      .split('\n')
      .map((line) => line.replace(left, ''));
  }
  return [];
}
