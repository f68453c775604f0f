import { expect, test } from 'vitest';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { checkLinks } from '#shared/operator/doctor/run-checks.ts';

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://workforce.example.com',
  timeZone: 'Pacific/Auckland',
  secretName: 'main',
};
const CHANNELS = [{ name: 'office', kind: 'email', addresses: ['payroll@acme.example'] }];

test('the doctor asks for the address of a timesheet where messages have no link', () => {
  expect(checkLinks(target({ channels: CHANNELS }))).toEqual([
    {
      ...{ about: 'alerts', outcome: 'warning' },
      says: 'messages have no link to the timesheet that they are about',
      mend: 'set alerts.recordUrl to the address at which a timesheet is opened, with {timesheetId} in it, and deploy',
    },
  ]);
});

test.each([
  ['where they have one', { channels: CHANNELS, recordUrl: 'https://acme.example/{timesheetId}' }, false],
  ['where the console is known', { channels: CHANNELS, consoleUrl: 'http://127.0.0.1:4600' }, false],
  ['without channels', {}, false],
  ['on one machine', { channels: CHANNELS }, true],
])('it asks for nothing %s', (_, alerts, redirects) => {
  expect(checkLinks(target(alerts, redirects))).toEqual([]);
});

function target(alerts: object, redirects = false) {
  return { config: parseNotifierConfig({ connections: [CONNECTION], alerts }), redirects };
}
