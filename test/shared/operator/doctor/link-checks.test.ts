import { expect, test } from 'vitest';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { checkLinks } from '#shared/operator/doctor/run-checks.ts';
import { CONNECTION } from '#test/infra/synthesized.ts';
import { showFinding } from './show-finding.ts';

const PEOPLE = { channels: [{ name: 'office', kind: 'email', addresses: ['payroll@acme.example'] }] };
const NO_LINKS =
  'warning links: messages have no link to the timesheet that they are about; set links.recordUrl to the address at which a timesheet is opened, with {timesheetId} in it, and deploy';

test.each([
  ['where messages have no link', { people: PEOPLE }, false, [NO_LINKS]],
  ['where they have', { people: PEOPLE, links: { recordUrl: 'https://a.example/{timesheetId}' } }, false, []],
  [
    'where the console is known',
    { people: PEOPLE, links: { consoleUrl: 'http://127.0.0.1:4600' } },
    false,
    [],
  ],
  ['without channels', {}, false, []],
  ['on one machine', { people: PEOPLE }, true, []],
])('links are judged %s', (_, sections, redirects, expected) => {
  const config = parseNotifierConfig({ connections: [CONNECTION], ...sections });
  expect(checkLinks({ config, redirects }).map(showFinding)).toEqual(expected);
});
