import { expect, test } from 'vitest';
import { buildAlert } from '#shared/people/build-alert.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { describableEventSchema } from '#shared/people/words/sentences.ts';
import { history } from '#test/shared/core/events/history.ts';
import { timesheet } from '#test/support/builders.ts';

const CONSOLE = 'http://127.0.0.1:4600';
const OPEN = 'https://workforce.example.com/{timesheetId}';

test.each([
  [{}, undefined],
  [{ consoleUrl: CONSOLE }, 'http://127.0.0.1:4600/records/1_7?connection=main'],
  [{ consoleUrl: CONSOLE, recordUrl: OPEN }, 'https://workforce.example.com/1_7'],
])('with %j an alert links to %s', (urls, expected) => {
  expect(build(timesheet({ id: '1_7' }), urls).url).toBe(expected);
});

test('an id stays one part of the path', () => {
  const { url } = build(timesheet({ id: '../a?b#c' }), { consoleUrl: CONSOLE });
  expect(url).toBe('http://127.0.0.1:4600/records/..%2Fa%3Fb%23c?connection=main');
});

function build(record: ReturnType<typeof timesheet>, urls: { consoleUrl?: string; recordUrl?: string }) {
  const [event] = history(record, { ...record, approvedHours: '2026-03-05T00:30:00.000Z' });
  return buildAlert(describableEventSchema.parse(event), {
    match: { channel: 'payroll', urgent: false },
    names: NO_NAMES,
    timeZone: 'UTC',
    namesConnection: false,
    ...urls,
  });
}
