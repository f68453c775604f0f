import { expect, test } from 'vitest';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { checkLinks } from '#shared/operator/doctor/run-checks.ts';

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://workforce.example.com',
  timeZone: 'Pacific/Auckland',
  secretName: 'main',
};
const PEOPLE = { channels: [{ name: 'office', kind: 'email', addresses: ['payroll@acme.example'] }] };

test('the doctor asks for the address of a timesheet where messages have no link', () => {
  expect(checkLinks(target({ people: PEOPLE }))).toEqual([
    {
      ...{ about: 'links', outcome: 'warning' },
      says: 'messages have no link to the timesheet that they are about',
      mend: 'set links.recordUrl to the address at which a timesheet is opened, with {timesheetId} in it, and deploy',
    },
  ]);
});

test.each([
  [
    'where they have one',
    { people: PEOPLE, links: { recordUrl: 'https://acme.example/{timesheetId}' } },
    false,
  ],
  ['where the console is known', { people: PEOPLE, links: { consoleUrl: 'http://127.0.0.1:4600' } }, false],
  ['without channels', {}, false],
  ['on one machine', { people: PEOPLE }, true],
])('it asks for nothing %s', (_, sections, redirects) => {
  expect(checkLinks(target(sections, redirects))).toEqual([]);
});

function target(sections: object, redirects = false) {
  return { config: parseNotifierConfig({ connections: [CONNECTION], ...sections }), redirects };
}
